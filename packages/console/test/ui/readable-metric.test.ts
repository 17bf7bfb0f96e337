// What a reader sees of a metric: one unit on both sides, and its arithmetic can still be redone.
import { type MetricTrace, metricRows } from "@plimsoll/core";
import { expect, test } from "vitest";
import { stepTitle } from "../../src/trace/step-title.ts";
import { readableDecision, readableMetric } from "../../src/ui/readable-metric.ts";

const pods: MetricTrace = {
  kind: "metric",
  index: 0,
  type: "Pods",
  name: "pods metric packets-per-second",
  target: { type: "AverageValue", value: "1k" },
  currentReplicas: 2,
  tolerance: { down: 0.1, up: 0.1 },
  pods: [{ name: "a", group: "ready", why: "has-sample", usage: "700349m" }],
  first: { total: "1400698m", pods: 2, usage: "700349m", ratio: 0.700349, withinTolerance: false },
  rule: "ratio-times-ready",
  replicas: 2,
};

const external: MetricTrace = {
  kind: "metric",
  index: 0,
  type: "External",
  name: "external metric queue_depth(nil)",
  target: { type: "AverageValue", value: "30" },
  currentReplicas: 2,
  statusReplicas: 2,
  values: ["90500m"],
  first: { total: "90500m", usage: "45250m", ratio: 1.5083, withinTolerance: false },
  rule: "total-over-target",
  replicas: 4,
};

const status = { conditions: [], desiredReplicas: 2 } as unknown as Parameters<
  typeof metricRows
>[0]["status"];

test("a row has no thousandths, and the same unit on both sides", () => {
  const [row] = metricRows({ ...readableDecision({ trace: [pods] }), status });
  expect([row?.value, row?.target]).toEqual(["700.35 each", "1000 each"]);
});

test("so have the line of the step and its pods; what is not read stays as it is", () => {
  expect(stepTitle(external, undefined).text).toContain("⌈90.5 ÷ 30⌉");
  expect(readableMetric(pods).pods?.[0]).toMatchObject({ usage: "700.35" });
  expect(readableMetric(pods).first).toMatchObject({ total: "1400.7", ratio: 0.700349, pods: 2 });
  expect(pods.first?.total).toBe("1400698m");
});

test("percent are no quantities", () => {
  const cpu: MetricTrace = {
    ...pods,
    type: "Resource",
    name: "cpu resource utilization (percentage of request)",
    target: { type: "Utilization", value: "60" },
    first: { total: "1360m", requested: "4", pods: 8, usage: "34", ratio: 0.5667, withinTolerance: false },
  };
  expect(readableMetric(cpu)).toMatchObject({
    target: { value: "60" },
    first: { total: "1360m", requested: "4000m", usage: "34" },
  });
});
