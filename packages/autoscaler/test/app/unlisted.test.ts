import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { type FakeApi, failure, type Reply } from "../fake-api.ts";
import { hold, hpa, podsMetric, type Rig, rig, within, workload } from "../harness.ts";

const queue = {
  type: "External",
  external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "10" } },
};
const total = {
  type: "External",
  external: { metric: { name: "queue" }, target: { type: "Value", value: "10" } },
};

/** Three workloads: by a metric of their pods, by one of none, and by one that counts them all the same. */
function workloads(api: FakeApi): void {
  for (const [name, metric] of [
    ["by-pods", podsMetric("hits")],
    ["by-queue", queue],
    ["by-total", total],
  ] as const) {
    workload(api, name);
    api.put("horizontalpodautoscalers", hpa(name, { spec: { metrics: [metric] } }));
  }
  api.metrics.set("/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue", {
    kind: "ExternalMetricValueList",
    items: [{ metricName: "queue", timestamp: new Date().toISOString(), value: "60" }],
  });
}

function wla(name: string): object {
  return {
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "WorkloadAutoscaler",
    metadata: { name, namespace: "default" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
      maxReplicas: 10,
      metrics: [queue],
    },
  };
}

const never: readonly [string, () => Reply | Promise<Reply>][] = [
  ["fails", () => failure(500, "InternalError", "a response was too large")],
  ["hangs", () => new Promise(() => {})],
];

function namesOf({ inputs }: Pick<Rig, "inputs">): ReadonlySet<string | undefined> {
  return new Set(inputs.map(({ hpa }) => hpa.metadata?.name));
}

test.each(never)("a list of pods that %s stops what counts pods, and nothing else", async (_, reply) => {
  const clock = manualClock(Date.now());
  const { api, autoscaler, inputs } = await rig({
    clock,
    synced: false,
    config: { syncPeriodMs: 15_000 },
    before: (api) => {
      workloads(api);
      api.script("GET", /\/pods$/, reply, 999);
    },
  });
  await within(clock, 180_000, () => expect(namesOf({ inputs }).size).toBe(3));
  await within(clock, 30_000, () => expect(replicasOf(api, "by-queue")).toBe(6));
  expect([replicasOf(api, "by-pods"), replicasOf(api, "by-total")]).toEqual([3, 3]);
  const [last] = autoscaler.decisions.of("default", "by-total").slice(-1);
  expect(JSON.stringify(last)).toContain("cannot list the namespace's pods yet");
});

test.each([
  ["horizontalpodautoscalers", ["wla"]],
  ["workloadautoscalers", ["by-pods", "by-queue", "by-total"]],
] as const)("%s that cannot be listed stop no other kind", async (resource, expected) => {
  const clock = manualClock(Date.now());
  const { inputs } = await rig({
    clock,
    decide: hold,
    synced: false,
    config: { syncPeriodMs: 15_000 },
    before: (api) => {
      workloads(api);
      workload(api, "wla");
      api.remove("horizontalpodautoscalers", "default", "wla");
      api.put("workloadautoscalers", wla("wla") as never);
      api.script("GET", new RegExp(`/${resource}$`), () => failure(500, "InternalError", "no"), 999);
    },
  });
  await within(clock, 180_000, () => expect(namesOf({ inputs })).toEqual(new Set(expected)));
});

test("objects of a kind that is listed late are evaluated then", async () => {
  const clock = manualClock(Date.now());
  let isUp = false;
  const { inputs } = await rig({
    clock,
    decide: hold,
    synced: false,
    config: { syncPeriodMs: 15_000 },
    before: (api) => {
      workloads(api);
      api.script(
        "GET",
        /\/horizontalpodautoscalers$/,
        () => (isUp ? undefined : failure(500, "InternalError", "no")),
        999,
      );
    },
  });
  await clock.advance(60_000);
  expect(namesOf({ inputs }).size).toBe(0);
  isUp = true;
  await within(clock, 30_000, () => expect(namesOf({ inputs }).size).toBe(3));
});

test("one of the namespaces of --namespace that cannot be listed stops no other", async () => {
  const clock = manualClock(Date.now());
  const { inputs } = await rig({
    clock,
    decide: hold,
    synced: false,
    config: { namespaces: ["default", "other"], syncPeriodMs: 15_000 },
    before: (api) => {
      workloads(api);
      api.script(
        "GET",
        /\/namespaces\/other\/(?:pods|horizontal)/,
        () => failure(403, "Forbidden", "no"),
        999,
      );
    },
  });
  await within(clock, 60_000, () => expect(namesOf({ inputs }).size).toBe(3));
  expect(inputs.every(({ pods }) => pods.ok)).toBe(true);
});

function replicasOf(api: FakeApi, name: string): number | undefined {
  return (api.get("deployments", "default", name) as { spec?: { replicas?: number } } | undefined)?.spec
    ?.replicas;
}
