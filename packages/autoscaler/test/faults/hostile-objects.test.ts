import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import type { FakeApi } from "../fake-api.ts";
import { deployment, hpa, podsMetric, rig, within, workload } from "../harness.ts";

const periodMs = 300;

function replicas(api: FakeApi, name: string): number {
  return (api.get("deployments", "default", name).spec as { replicas: number }).replicas;
}

function external(name: string, target: object): object {
  return { type: "External", external: { metric: { name }, target } };
}

function setExternal(api: FakeApi, name: string, values: readonly string[]): void {
  const items = values.map((value) => ({ metricName: name, value, timestamp: new Date().toISOString() }));
  api.metrics.set(`/apis/external.metrics.k8s.io/v1beta1/namespaces/default/${name}`, {
    kind: "ExternalMetricValueList",
    items,
  });
}

test("an object that is edited ten times a second is decided all the time, and others keep their period", async () => {
  const clock = manualClock(Date.parse("2030-01-01T00:00:00Z"));
  const { api, inputs } = await rig({
    clock,
    config: { syncPeriodMs: periodMs },
    before: (api) => {
      workload(api, "shop");
      workload(api, "calm");
    },
  });
  const of = (name: string) => inputs.filter((input) => input.hpa.metadata?.name === name);
  await within(clock, 2000, () => expect(of("calm").length).toBeGreaterThan(0));
  const before = { calm: of("calm").length, calls: api.requests.length };
  const edits = 20;
  for (let n = 1; n <= edits; n++) {
    api.put("horizontalpodautoscalers", hpa("shop", { spec: { maxReplicas: 100 + n } }));
    await clock.advance(100);
  }
  // I5: the last edit is decided upon within two periods.
  await within(clock, 2 * periodMs, () => expect(of("shop").at(-1)?.hpa.spec.maxReplicas).toBe(100 + edits));
  expect(of("calm").length).toBeGreaterThanOrEqual(before.calm + Math.floor((edits * 100) / periodMs));
  // Three passes per edit, of a few requests each, at the most.
  expect(api.requests.length - before.calls).toBeLessThan(edits * 3 * 6 + of("calm").length * 6);
});

test("objects that come and go in the middle of their evaluations leave nothing behind", async () => {
  const clock = manualClock(Date.parse("2030-01-01T00:00:00Z"));
  const { api, autoscaler, inputs, url } = await rig({
    clock,
    config: { syncPeriodMs: periodMs },
    before: (api) => workload(api, "stays", { value: "20" }),
  });
  for (let n = 0; n < 20; n++) {
    const name = `comet-${n % 4}`;
    workload(api, name, { value: "20" });
    await within(clock, 1000, () =>
      expect(inputs.some((input) => input.hpa.metadata?.name === name)).toBe(true),
    );
    api.remove("horizontalpodautoscalers", "default", name);
    api.remove("deployments", "default", name);
  }
  await within(clock, 1000, () =>
    expect(autoscaler.decisions.latest().map(({ name }) => name)).toEqual(["stays"]),
  );
  const seen = inputs.length;
  await within(clock, 1000, () => expect(inputs.length).toBeGreaterThan(seen + 2));
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).not.toContain("comet");
});

const max = 2_147_483_647;
const hugeBehavior = {
  scaleUp: { policies: [{ type: "Percent", value: max, periodSeconds: 15 }], stabilizationWindowSeconds: 0 },
};

test.each([
  ["a value at the end of int64", "9223372036854775807", { type: "Value", value: "1m" }, 3],
  ["a value beyond int64", "1e30", { type: "AverageValue", averageValue: "1n" }, 3],
  ["a target that is next to nothing", "1", { type: "AverageValue", averageValue: "1n" }, 3],
  ["a negative value", "-9223372036854775808", { type: "AverageValue", averageValue: "1" }, 3],
  ["a count at the end of int32", "9223372036854775807", { type: "AverageValue", averageValue: "1" }, max],
  ["no number", "NaN", { type: "AverageValue", averageValue: "1" }, 3],
] as const)(
  "%s: the count stays within its bounds, and the others are scaled",
  async (_, value, target, count) => {
    const { api, autoscaler } = await rig({
      before: (api) => {
        api.put("deployments", deployment("huge", count));
        setExternal(api, "queue", [value, value]);
        const spec = { maxReplicas: max, metrics: [external("queue", target)], behavior: hugeBehavior };
        api.put("horizontalpodautoscalers", hpa("huge", { spec }));
        workload(api, "shop", { value: "20" });
      },
    });
    for (let n = 0; n < 2; n++) await autoscaler.sync();
    expect(replicas(api, "huge")).toBeGreaterThanOrEqual(count);
    expect(replicas(api, "huge")).toBeLessThanOrEqual(max);
    expect(replicas(api, "shop")).toBe(6);
    expect(api.get("horizontalpodautoscalers", "default", "huge").status).toMatchObject({
      conditions: expect.arrayContaining([expect.objectContaining({ type: "ScalingActive" })]),
    });
  },
);

test("requests and usage at the ends of their types neither crash an evaluation nor scale down on nonsense", async () => {
  const usage = "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods";
  const { api, autoscaler } = await rig({
    before: (api) => {
      workload(api, "shop");
      const metric = {
        type: "Resource",
        resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 1 } },
      };
      api.put("horizontalpodautoscalers", hpa("shop", { spec: { metrics: [metric] } }));
      for (let n = 0; n < 3; n++) {
        const pod = api.get("pods", "default", `shop-${n}`);
        const containers = [{ name: "c", resources: { requests: { cpu: "9223372036854775807" } } }];
        api.put("pods", { ...pod, spec: { containers } });
      }
      const items = [0, 1, 2].map((n) => ({
        metadata: { name: `shop-${n}`, namespace: "default", labels: { app: "shop" } },
        timestamp: new Date().toISOString(),
        window: "30s",
        containers: [{ name: "c", usage: { cpu: "9223372036854775807", memory: "1" } }],
      }));
      api.metrics.set(usage, { kind: "PodMetricsList", items });
      workload(api, "other");
      api.put("horizontalpodautoscalers", hpa("other", { spec: { metrics: [podsMetric("hits"), metric] } }));
    },
  });
  for (let n = 0; n < 2; n++) await autoscaler.sync();
  expect(replicas(api, "shop")).toBeGreaterThanOrEqual(3);
  expect(replicas(api, "shop")).toBeLessThanOrEqual(10);
  expect(
    autoscaler.decisions
      .latest()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(["other", "shop"]);
});
