import { manualClock } from "@plimsoll/component-base/testing";
import { eventually } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { failure } from "../fake-api.ts";
import { deployment, hpa, pod, podsMetric, rig, within, writes } from "../harness.ts";
import { conditions, replicas, setUp, target, wla } from "./workload-autoscalers.ts";

test("an Active one is managed whatever --manage-hpas says, and its condition says so", async () => {
  const { api, autoscaler, url } = await rig({
    config: { manageHpas: "none" },
    before: (api) => {
      target(api, "shop", "20");
      api.put("workloadautoscalers", wla("shop"));
    },
  });
  await autoscaler.sync();
  expect(replicas(api)).toBe(6);
  expect(conditions(api)).toMatchObject({
    Ready: "True Evaluated",
    Active: "True Managing",
    Paused: "False NotPaused",
    Fallback: "False NoMetricFailurePolicy",
    AbleToScale: "True SucceededRescale",
  });
  expect(api.get("workloadautoscalers", "default", "shop").spec).toMatchObject({ mode: "Active" });
  expect(api.list("events")).toMatchObject([
    { reason: "SuccessfulRescale", involvedObject: { kind: "WorkloadAutoscaler", name: "shop" } },
  ]);
  const path = "/apis/decisions/v1/namespaces/default/workloadautoscalers/shop";
  const { items } = (await (await fetch(`${url}${path}`)).json()) as { items: unknown[] };
  expect(items).toMatchObject([{ resource: "workloadautoscalers", mode: "active", applied: "scaled" }]);
});

test("its status is written only when something in it changed", async () => {
  const { api, autoscaler } = await setUp({}, "10");
  await autoscaler.sync();
  const first = writes(api).length;
  expect(first).toBe(1);
  for (let n = 0; n < 3; n++) await autoscaler.sync();
  expect(writes(api)).toHaveLength(first);
});

test("in Shadow and Paused it decides and shows it, and scales nothing", async () => {
  const { api, autoscaler } = await setUp({ mode: "Shadow" });
  await autoscaler.sync();
  expect(replicas(api)).toBe(3);
  expect(conditions(api)).toMatchObject({ Active: "False ShadowMode", AbleToScale: "True WouldScale" });
  expect(api.get("workloadautoscalers", "default", "shop").status).toMatchObject({ desiredReplicas: 6 });
  expect(api.list("events")).toEqual([]);

  api.put("workloadautoscalers", wla("shop", { mode: "Paused", pause: { reason: "migration" } }));
  await eventually(() =>
    expect(conditions(api)).toMatchObject({ Active: "False Paused", Paused: "True Paused" }),
  );
  expect(JSON.stringify(api.get("workloadautoscalers", "default", "shop").status)).toContain(
    "paused: migration",
  );
  expect(replicas(api)).toBe(3);
});

test("a pause ends by itself", async () => {
  const clock = manualClock(Date.now());
  const until = new Date(clock.nowMs() + 60_000).toISOString();
  const { api, autoscaler } = await setUp({ mode: "Paused", pause: { until } }, "20", clock);
  await autoscaler.sync();
  await clock.advance(59_900);
  await autoscaler.sync();
  expect(replicas(api)).toBe(3);
  await clock.advance(101);
  await autoscaler.sync();
  expect(replicas(api)).toBe(6);
});

test("tuning counts for this object only: tolerance, and a period of a second", async () => {
  const clock = manualClock(Date.now());
  const { api, autoscaler } = await rig({
    clock,
    before: (api) => {
      target(api, "shop", "10600m");
      api.put("workloadautoscalers", wla("shop", { tuning: { tolerance: 0.05, syncPeriodSeconds: 1 } }));
      target(api, "other", "10600m");
      api.put("workloadautoscalers", wla("other"));
      const items = ["shop", "other"].flatMap((name) =>
        [0, 1, 2].map((n) => ({ describedObject: { name: `${name}-${n}` }, value: "10600m" })),
      );
      api.script(
        "GET",
        /\/hits$/,
        ({ query }) => ({
          code: 200,
          body: {
            items: items.filter(({ describedObject }) =>
              describedObject.name.startsWith(query.get("labelSelector")?.split("=")[1] ?? "-"),
            ),
          },
        }),
        1000,
      );
    },
  });
  await within(clock, 2000, () => expect(replicas(api)).toBe(4));
  await clock.advance(3000);
  const times = autoscaler.decisions
    .of("default", "shop", "workloadautoscalers")
    .map(({ at }) => Date.parse(at));
  expect(times.slice(1).map((at, n) => Math.round((at - (times[n] ?? 0)) / 1000))).toEqual([1, 1, 1]);
  // Each decision on a response of its own.
  const asked = api.requests.filter(({ query }) => query.get("labelSelector") === "app=shop");
  expect(asked.length).toBeGreaterThanOrEqual(times.length);
  expect(replicas(api, "other")).toBe(3);
  expect(autoscaler.decisions.of("default", "other", "workloadautoscalers")).toEqual([]);
});

test("a delay after a scale holds this object only, and is in the trace; the object is ready all the same", async () => {
  const lastScaleTime = new Date(Date.now() - 60_000).toISOString();
  const { api, autoscaler } = await rig({
    config: { downscaleDelayMs: 600_000 },
    before: (api) => {
      target(api, "shop", "20");
      api.put("workloadautoscalers", {
        ...wla("shop", { tuning: { upscaleDelaySeconds: 300 } }),
        status: { lastScaleTime },
      });
      api.put("deployments", deployment("other"));
      for (const n of [0, 1, 2]) api.put("pods", pod(`other-${n}`, "other"));
      api.put("workloadautoscalers", { ...wla("other"), status: { lastScaleTime } });
    },
  });
  // The script of values names the pods of both.
  const items = ["shop", "other"].flatMap((name) =>
    [0, 1, 2].map((n) => ({ describedObject: { name: `${name}-${n}` }, value: "20" })),
  );
  api.script("GET", /\/hits$/, () => ({ code: 200, body: { items } }), 99);
  await autoscaler.sync();
  expect(replicas(api)).toBe(3);
  expect(replicas(api, "other")).toBe(6);
  expect(conditions(api)).toMatchObject({ AbleToScale: "False BackoffBoth", Ready: "True Evaluated" });
  const [record] = autoscaler.decisions.of("default", "shop", "workloadautoscalers");
  expect(record?.decision.trace).toContainEqual(
    expect.objectContaining({ kind: "cooldown", reason: "BackoffBoth", windowMs: 300_000 }),
  );
});

test.each([
  ["1.35", true, 0, 4],
  ["1.35", true, 1, 0],
  ["1.37", true, 0, 4],
  ["1.37", true, 1, 4],
  ["1.37", false, 1, 0],
] as const)(
  "from zero as %s, scaling to zero %s, minReplicas %i: %i replicas",
  async (semantics, scaleToZero, minReplicas, wanted) => {
    const { api, autoscaler } = await rig({
      config: { semantics, scaleToZero },
      before: (api) => {
        api.put("deployments", deployment("shop", 0));
        const metric = { name: "queue" };
        const external = { metric, target: { type: "AverageValue", averageValue: "10" } };
        api.put("workloadautoscalers", {
          ...wla("shop", { minReplicas, metrics: [{ type: "External", external }] }),
          status: { conditions: [{ type: "ScaledToZero", status: "True", reason: "ScaledToZero" }] },
        });
        api.script("GET", /\/queue$/, () => ({ code: 200, body: { items: [{ value: "40" }] } }), 99);
      },
    });
    await autoscaler.sync();
    expect(replicas(api)).toBe(wanted);
    const { status } = api.get("workloadautoscalers", "default", "shop") as {
      status?: { targets?: string; currentMetrics?: unknown };
    };
    expect(status?.targets).toBe(wanted > 0 ? "0/10 (avg)" : "<unknown>/10 (avg)");
    expect(JSON.stringify(status)).not.toContain("9223372036854775808");
  },
);

test("a failed metric with a policy shows in the trace and in condition Fallback", async () => {
  const { api, autoscaler } = await setUp({
    metrics: [{ ...podsMetric("hits"), onMetricFailure: { policy: "Fallback", replicas: 5 } }],
  });
  api.script("GET", /\/hits$/, () => failure(503, "ServiceUnavailable", "down"), 99);
  await autoscaler.sync();
  expect(replicas(api)).toBe(5);
  expect(conditions(api)).toMatchObject({ Fallback: "True MetricFailurePolicy" });
  const [record] = autoscaler.decisions.of("default", "shop", "workloadautoscalers");
  expect(record?.decision.trace).toContainEqual(
    expect.objectContaining({ kind: "failure-policy", index: 0, policy: "Fallback" }),
  );
  expect(api.list("events").map((event) => event["reason"])).toContain("FailedGetPodsMetric");
  const messages = api.list("events").map((event) => String(event["message"]));
  expect(messages).toContainEqual(expect.stringMatching(/^New size: 5; reason: fallback of /));
  expect(messages.join()).not.toMatch(/MinReplicas|undefined/);
  expect(JSON.stringify(record?.decision)).not.toMatch(/Spec\.MinReplicas|undefined/);
});

test("beside a native HPA on the same target an Active one scales nothing; in Shadow it does not conflict", async () => {
  const { api, autoscaler } = await rig({
    config: { manageHpas: "none" },
    before: (api) => {
      target(api, "shop", "20");
      api.put("horizontalpodautoscalers", hpa("shop"));
      api.put("workloadautoscalers", wla("shop"));
    },
  });
  await autoscaler.sync();
  await autoscaler.sync();
  expect(replicas(api)).toBe(3);
  expect(conditions(api)).toMatchObject({ Active: "False SharedTarget" });
  api.put("workloadautoscalers", wla("shop", { mode: "Shadow" }));
  await eventually(async () => {
    await autoscaler.sync();
    const native = autoscaler.decisions.of("default", "shop").at(-1);
    const own = autoscaler.decisions.of("default", "shop", "workloadautoscalers").at(-1);
    expect([native?.decision.desiredReplicas, own?.decision.desiredReplicas]).toEqual([6, 6]);
  });
});
