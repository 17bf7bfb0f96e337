import { expect, test } from "vitest";
import { type FakeApi, type FakeObject, failure } from "../fake-api.ts";
import { deployment, eventually, hitsPath, hpa, pod, podsMetric, rig, writes } from "../harness.ts";

function wla(name: string, spec: object = {}): FakeObject {
  return {
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "WorkloadAutoscaler",
    metadata: { name, namespace: "default" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
      minReplicas: 1,
      maxReplicas: 10,
      mode: "Active",
      metrics: [podsMetric("hits")],
      ...spec,
    },
  };
}

function target(api: FakeApi, name: string, value: string): void {
  api.put("deployments", deployment(name));
  const items = [0, 1, 2].map((n) => {
    api.put("pods", pod(`${name}-${n}`, name));
    return { describedObject: { name: `${name}-${n}` }, timestamp: new Date().toISOString(), value };
  });
  api.metrics.set(hitsPath, { kind: "MetricValueList", items });
}

const replicas = (api: FakeApi, name = "shop") =>
  (api.get("deployments", "default", name).spec as { replicas: number }).replicas;

function conditions(api: FakeApi, name = "shop"): Readonly<Record<string, string>> {
  const { status } = api.get("workloadautoscalers", "default", name) as { status?: { conditions?: unknown } };
  const list = (status?.conditions ?? []) as readonly { type: string; status: string; reason: string }[];
  return Object.fromEntries(list.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}

const setUp = (spec: object, value = "20") =>
  rig({
    before: (api) => {
      target(api, "shop", value);
      api.put("workloadautoscalers", wla("shop", spec));
    },
  });

test("an Active one drives, whatever becomes of native HPAs, and says so", async () => {
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
    Active: "True Driving",
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
  const until = new Date(Date.now() + 1500).toISOString();
  const { api, autoscaler } = await setUp({ mode: "Paused", pause: { until } });
  await autoscaler.sync();
  expect(replicas(api)).toBe(3);
  await eventually(async () => {
    await autoscaler.sync();
    expect(replicas(api)).toBe(6);
  });
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(until));
});

test("tuning counts for this object only: tolerance, and a period of a second", async () => {
  const { api, autoscaler } = await rig({
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
  await eventually(() => expect(replicas(api)).toBe(4));
  await eventually(() =>
    expect(autoscaler.decisions.of("default", "shop", "workloadautoscalers").length).toBeGreaterThanOrEqual(
      3,
    ),
  );
  const times = autoscaler.decisions
    .of("default", "shop", "workloadautoscalers")
    .map(({ at }) => Date.parse(at));
  expect((times[2] ?? 0) - (times[1] ?? 0)).toBeLessThan(1900);
  expect(replicas(api, "other")).toBe(3);
  expect(autoscaler.decisions.of("default", "other", "workloadautoscalers")).toEqual([]);
});

test("a failed metric with a policy shows in the trace and in condition Fallback", async () => {
  const { api, autoscaler } = await setUp({
    metrics: [{ ...podsMetric("hits"), onMetricFailure: { policy: "Fallback", replicas: 5 } }],
  });
  api.script("GET", /\/hits$/, () => failure(503, "ServiceUnavailable", "down"), 99);
  await autoscaler.sync();
  expect(replicas(api)).toBe(5);
  expect(conditions(api)).toMatchObject({ Fallback: "True MetricFailurePolicy" });
  const [record] = autoscaler.decisions.of("default", "shop", "workloadautoscalers");
  expect(record?.policies).toMatchObject([{ kind: "failure-policy", index: 0, policy: "Fallback" }]);
  expect(api.list("events").map((event) => event["reason"])).toContain("FailedGetPodsMetric");
});

test("an invalid specification that the schema let through is not acted on", async () => {
  const { api, autoscaler } = await setUp({ maxReplicas: 2, minReplicas: 5 });
  await autoscaler.sync();
  expect(replicas(api)).toBe(3);
  expect(conditions(api)).toMatchObject({ Ready: "False InvalidSpec", Active: "False InvalidSpec" });
});

test("beside a native HPA on the same target an Active one scales nothing; in Shadow it is no rival", async () => {
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
