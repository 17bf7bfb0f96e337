import { manualClock } from "@plimsoll/component-base/testing";
import { eventually } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { failure } from "../fake-api.ts";
import { hold, hpa, podsMetric, rig, wanting, within, workload, writes } from "../harness.ts";

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

test("a metric that never responds is given up after the timeout", async () => {
  const clock = manualClock(Date.now());
  const { api, autoscaler, inputs } = await rig({
    clock,
    decide: hold,
    config: { requestTimeoutMs: 200 },
    before: (api) => workload(api, "shop"),
  });
  api.script("GET", /\/hits$/, () => new Promise(() => {}));
  const pass = autoscaler.sync();
  const tookMs = await within(clock, 1000, () => expect(inputs).toHaveLength(1));
  await pass;
  expect(tookMs).toBe(200);
  expect(inputs[0]?.samples).toEqual([{ error: expect.stringContaining("no response within 200 ms") }]);
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
    "evaluation backs off after crashes; edit the object to retry at once",
  );
  expect(api.list("events")).toMatchObject([
    { type: "Warning", reason: "EvaluationCrashed", involvedObject: { name: "poison" } },
  ]);
});

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
  await eventually(() => expect(log.some(({ message }) => message === "evaluation failed")).toBe(true));
  workload(api, "late");
  await comeBack();
  await eventually(() => expect(log.some(({ message }) => message === "evaluation recovered")).toBe(true));
  await eventually(() => expect(inputs.some((input) => input.hpa.metadata?.name === "late")).toBe(true));
  expect(api.count("PUT", /\/shop\/scale$/)).toBe(1);
  expect(autoscaler.decisions.of("default", "shop").at(-1)?.decision.outcome.error).toBe("none");
});
