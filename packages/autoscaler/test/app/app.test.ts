import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import type { LoggedDecision } from "../../src/index.ts";
import { failure } from "../fake-api.ts";
import { eventually, hpa, podsMetric, rig, wanting, within, workload, writes } from "../harness.ts";

const hold = wanting(({ scale }) => (scale.ok ? scale.specReplicas : 0));

async function text(url: string): Promise<string> {
  return (await fetch(url)).text();
}

test("evaluations come round by themselves, once per period", async () => {
  const clock = manualClock(Date.now());
  const { inputs } = await rig({
    clock,
    decide: hold,
    before: (api) => workload(api, "shop"),
    config: { syncPeriodMs: 300 },
  });
  await clock.advance(30_000);
  const gaps = inputs.slice(1).map((input, index) => input.nowMs - (inputs[index]?.nowMs ?? 0));
  expect(gaps.slice(1)).toEqual(Array.from({ length: gaps.length - 1 }, () => 300));
  expect(gaps.length).toBeGreaterThan(97);
});

test("a new HPA and an edited one are evaluated at once", async () => {
  const { api, inputs } = await rig({ decide: hold });
  workload(api, "shop");
  await eventually(() => expect(inputs).toHaveLength(1));
  api.put("horizontalpodautoscalers", hpa("shop", { spec: { maxReplicas: 7 } }));
  await eventually(() => expect(inputs.at(-1)?.hpa.spec.maxReplicas).toBe(7));
});

test("a status written by ourselves or by others is no reason to evaluate", async () => {
  const { api, autoscaler, inputs } = await rig({ decide: hold, before: (api) => workload(api, "shop") });
  await autoscaler.sync();
  const known = api.get("horizontalpodautoscalers", "default", "shop");
  api.put("horizontalpodautoscalers", { ...known, status: { currentReplicas: 3, desiredReplicas: 99 } });
  workload(api, "later");
  await eventually(() => expect(inputs.some((input) => input.hpa.metadata?.name === "later")).toBe(true));
  expect(inputs.filter((input) => input.hpa.metadata?.name === "shop")).toHaveLength(1);
});

test("a slow metric delays only its own HPA", async () => {
  const clock = manualClock(Date.now());
  const { api, inputs } = await rig({
    clock,
    decide: hold,
    config: { syncPeriodMs: 400, concurrentSyncs: 1 },
    before: (api) => {
      workload(api, "slow");
      workload(api, "quick");
      api.put("horizontalpodautoscalers", hpa("slow", { spec: { metrics: [podsMetric("stuck")] } }));
      api.script(
        "GET",
        /\/stuck$/,
        () =>
          new Promise((resolve) => {
            clock.after(2500, () => resolve(failure(504, "Timeout", "too late")));
          }),
        99,
      );
    },
  });
  const of = (name: string) => inputs.filter((input) => input.hpa.metadata?.name === name).length;
  await within(clock, 2400, () => expect(of("quick")).toBeGreaterThanOrEqual(5));
  expect([api.count("GET", /\/stuck$/), of("slow")]).toEqual([1, 0]);
  await within(clock, 1000, () => expect(of("slow")).toBeGreaterThanOrEqual(1));
});

test("a metric that never answers is given up after the timeout", async () => {
  const { api, autoscaler, inputs } = await rig({
    isOverHttp: true,
    decide: hold,
    config: { requestTimeoutMs: 200 },
    before: (api) => workload(api, "shop"),
  });
  api.script("GET", /\/hits$/, () => new Promise(() => {}));
  await autoscaler.sync();
  expect(inputs[0]?.samples).toEqual([{ error: expect.stringContaining("no answer within 200 ms") }]);
});

test("an exception in one evaluation is counted, and the others go on", async () => {
  const { api, autoscaler, url, log, inputs } = await rig({
    decide: (input, memory) => {
      if (input.hpa.metadata?.name === "poison") throw new Error("a bug");
      return hold(input, memory);
    },
    before: (api) => {
      workload(api, "poison");
      workload(api, "shop");
    },
  });
  for (let n = 0; n < 3; n++) await autoscaler.sync();
  expect(autoscaler.decisions.of("default", "shop")).toHaveLength(3);
  expect(inputs.filter((input) => input.hpa.metadata?.name === "poison")).toHaveLength(3);
  expect(await text(`${url}/metrics`)).toContain("plimsoll_hpa_controller_crashed_evaluations_total 3");
  expect(log.map(({ message }) => message)).toContain(
    "evaluation backs off after crashes; an edit retries it at once",
  );
  expect(api.list("events")).toMatchObject([
    { type: "Warning", reason: "EvaluationCrashed", involvedObject: { name: "poison" } },
  ]);
});

test("the endpoints: health, readiness, decisions, and nothing but GET", async () => {
  const { autoscaler, url } = await rig({
    decide: hold,
    before: (api) => workload(api, "shop"),
    config: { decisionHistory: 2 },
  });
  for (let n = 0; n < 3; n++) await autoscaler.sync();
  expect(await text(`${url}/healthz`)).toBe("ok\n");
  const ready = await fetch(`${url}/readyz`);
  expect([ready.status, await ready.text()]).toEqual([
    200,
    "[+]horizontalpodautoscalers\n[+]pods\n[+]workloadautoscalers\n[+]evaluations\n",
  ]);

  const one = (await (
    await fetch(`${url}/apis/decisions/v1/namespaces/default/horizontalpodautoscalers/shop`)
  ).json()) as {
    items: LoggedDecision[];
  };
  expect(one.items).toHaveLength(2);
  expect(one.items[0]?.decision.desiredReplicas).toBe(3);
  expect(Date.parse(one.items[0]?.at ?? "")).toBeLessThanOrEqual(Date.parse(one.items[1]?.at ?? ""));
  const all = (await (await fetch(`${url}/apis/decisions/v1`)).json()) as { items: LoggedDecision[] };
  expect(all.items).toMatchObject([{ namespace: "default", name: "shop", mode: "active" }]);

  const missing = await fetch(`${url}/apis/decisions/v1/namespaces/default/horizontalpodautoscalers/none`);
  expect([missing.status, await missing.json()]).toMatchObject([404, { kind: "Status", reason: "NotFound" }]);
  const posted = await fetch(`${url}/apis/decisions/v1`, { method: "POST", body: "{}" });
  expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  const crossed = await fetch(`${url}/metrics`, { headers: { origin: "http://elsewhere.example" } });
  expect(crossed.headers.get("access-control-allow-origin")).toBeNull();
  expect(
    (await fetch(`${url}/apis/decisions/v1/namespaces/%E0%A4%A/horizontalpodautoscalers/x`)).status,
  ).toBe(400);
});

test("metrics carry upstream's labels, and an object's series go with it", async () => {
  const { api, autoscaler, url } = await rig({ before: (api) => workload(api, "shop", { value: "20" }) });
  await autoscaler.sync();
  const before = await text(`${url}/metrics`);
  expect(before).toContain('plimsoll_hpa_controller_reconciliations_total{action="scale_up",error="none"} 1');
  expect(before).toContain(
    'plimsoll_hpa_controller_metric_computation_total{action="scale_up",error="none",metric_type="Pods"} 1',
  );
  expect(before).toContain(
    'plimsoll_hpa_controller_desired_replicas{namespace="default",hpa_name="shop",kind="HorizontalPodAutoscaler"} 6',
  );
  expect(before).toContain("plimsoll_hpa_controller_num_horizontal_pod_autoscalers 1");
  expect(before).toContain('plimsoll_metrics_api_requests_total{api="custom",result="ok"} 1');
  api.remove("horizontalpodautoscalers", "default", "shop");
  await eventually(async () => expect(await text(`${url}/metrics`)).not.toContain('hpa_name="shop"'));
  expect(autoscaler.decisions.latest()).toEqual([]);
});

test("before the API server answers the process lives and is not ready", async () => {
  const { api, url } = await rig({
    isOverHttp: true,
    decide: hold,
    synced: false,
    before: (api) => {
      workload(api, "shop");
      api.script(
        "GET",
        /\/(?:pods|horizontalpodautoscalers)$/,
        () => failure(503, "ServiceUnavailable", "starting"),
        4,
      );
    },
  });
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect((await fetch(`${url}/readyz`)).status).toBe(503);
  await eventually(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200));
  expect(api.count("GET", /\/pods$/)).toBeGreaterThan(1);
});

test("WorkloadAutoscalers that may not be listed hold nothing else back, and readiness says what to allow", async () => {
  const clock = manualClock(Date.now());
  const { api, log, url } = await rig({
    clock,
    decide: hold,
    before: (api) => {
      workload(api, "shop");
      api.script("GET", /\/workloadautoscalers$/, () => failure(403, "Forbidden", "no right to list"), 3);
    },
  });
  expect(await text(`${url}/readyz`)).toBe(
    [
      "[+]horizontalpodautoscalers",
      "[+]pods",
      "[-]workloadautoscalers failed: may not be listed: allow list and watch of workloadautoscalers.autoscaling.plimsoll.dev (no right to list)",
      "[+]evaluations",
      "",
    ].join("\n"),
  );
  expect((await fetch(`${url}/readyz`)).status).toBe(503);
  expect(JSON.stringify(log)).toContain("no right to list");
  await within(clock, 60_000, async () => expect((await fetch(`${url}/readyz`)).status).toBe(200));
  expect(api.count("GET", /\/workloadautoscalers$/)).toBeGreaterThan(3);
});

test.each([
  ["horizontalpodautoscalers", "horizontalpodautoscalers.autoscaling"],
  ["pods", "pods"],
])(
  "%s that may not be listed: nothing can be evaluated, and readiness says what to allow",
  async (resource, full) => {
    const path = new RegExp(`/${resource}$`);
    const { url } = await rig({
      decide: hold,
      synced: false,
      before: (api) => api.script("GET", path, () => failure(403, "Forbidden", "no right to list"), 99),
    });
    await eventually(async () =>
      expect(await text(`${url}/readyz`)).toContain(
        `[-]${resource} failed: may not be listed: allow list and watch of ${full} (no right to list)\n`,
      ),
    );
    expect(await text(`${url}/readyz`)).toContain("[-]evaluations\n");
  },
);

test("cut watches are taken up again, and no scale is written twice", async () => {
  const { api, autoscaler } = await rig({
    isOverHttp: true,
    decide: wanting(() => 5),
    before: (api) => workload(api, "shop"),
  });
  await autoscaler.sync();
  api.cutWatches();
  workload(api, "late");
  await eventually(() => expect(autoscaler.decisions.of("default", "late").length).toBeGreaterThan(0));
  await autoscaler.sync();
  expect(writes(api).filter((line) => line.includes("/shop/scale"))).toHaveLength(1);
});

test("with namespaces given, only those are watched", async () => {
  const { api, autoscaler } = await rig({
    decide: hold,
    config: { namespaces: ["default", "second"] },
    before: (api) => {
      workload(api, "shop");
      api.put("horizontalpodautoscalers", {
        ...hpa("other"),
        metadata: { name: "other", namespace: "third" },
      });
    },
  });
  await autoscaler.sync();
  expect(autoscaler.decisions.latest().map(({ name }) => name)).toEqual(["shop"]);
  expect(api.count("GET", /^\/api\/v1\/pods$/)).toBe(0);
});

test("an object of the same name that is created again starts with an empty memory", async () => {
  const memories: (number | undefined)[] = [];
  const { api, autoscaler } = await rig({
    decide: (input, memory) => {
      memories.push(memory?.recommendations.length);
      return hold(input, memory);
    },
    before: (api) => workload(api, "shop"),
  });
  await autoscaler.sync();
  api.remove("horizontalpodautoscalers", "default", "shop");
  await eventually(() => expect(autoscaler.decisions.latest()).toEqual([]));
  api.put("horizontalpodautoscalers", hpa("shop"));
  await eventually(() => expect(memories).toEqual([undefined, undefined]));
});

test("a stop in the middle of a metric call writes nothing about it", async () => {
  const { api, autoscaler } = await rig({
    isOverHttp: true,
    decide: hold,
    before: (api) => workload(api, "shop"),
  });
  api.script("GET", /\/hits$/, () => new Promise(() => {}));
  const pass = autoscaler.sync();
  await eventually(() => expect(api.count("GET", /\/hits$/)).toBe(1));
  await Promise.all([autoscaler.stop(), pass]);
  expect(writes(api)).toEqual([]);
  expect(autoscaler.decisions.latest()).toEqual([]);
});

test("an API server that goes away and comes back finds the loop at work, and no scale written twice", async () => {
  const { api, autoscaler, inputs, log } = await rig({
    isOverHttp: true,
    decide: wanting(() => 5),
    config: { syncPeriodMs: 300 },
    before: (api) => workload(api, "shop"),
  });
  await eventually(() => expect(api.count("PUT", /\/shop\/scale$/)).toBe(1));
  const comeBack = await api.outage();
  await eventually(() =>
    expect(log.some(({ message }) => message === "evaluation has a problem")).toBe(true),
  );
  workload(api, "late");
  await comeBack();
  await eventually(() => expect(log.some(({ message }) => message === "evaluation works again")).toBe(true));
  await eventually(() => expect(inputs.some((input) => input.hpa.metadata?.name === "late")).toBe(true));
  expect(api.count("PUT", /\/shop\/scale$/)).toBe(1);
  expect(autoscaler.decisions.of("default", "shop").at(-1)?.decision.outcome.error).toBe("none");
});
