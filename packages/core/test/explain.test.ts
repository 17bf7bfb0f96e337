import { expect, test } from "vitest";
import { decide, explain, metricRows, stepLines } from "../src/index.ts";
import {
  cpuSamples,
  cpuUtilization,
  externalAverage,
  externalInput,
  hpaOf,
  nowMs,
  readyPod,
  readyPods,
} from "./fixtures.ts";

const pods = [...readyPods(3, "500m"), { ...readyPod("pod-3", "500m"), status: { phase: "Pending" } }];
const behavior = {
  scaleUp: {
    policies: [
      { type: "Percent", value: 10, periodSeconds: 60 },
      { type: "Pods", value: 2, periodSeconds: 60 },
    ],
  },
};
const input = externalInput("150", 3, {
  hpa: hpaOf({ metrics: [cpuUtilization(50), externalAverage("30")], behavior }),
  pods: { ok: true, pods },
  samples: [cpuSamples(["450m", "600m"]), { values: [{ value: "130" }, { value: "20" }] }],
});
const memory = {
  recommendations: [{ replicas: 3, atMs: nowMs - 900_000 }],
  scaleUpEvents: [{ change: 1, atMs: nowMs - 30_000 }],
  scaleDownEvents: [],
};

test("a decision is explained with all its arithmetic", () => {
  expect(explain(decide(input, memory).decision)).toBe(
    [
      "Scale up from 3 to 4: external metric queue above target",
      '  Scale: 3 replicas in spec, 3 in status; selector "app=web"',
      "  Metric 1 (Resource): cpu resource utilization (percentage of request) calls for 3 replicas",
      "    2 pods ready, with a usable sample: pod-0 (450m of 500m), pod-1 (600m of 500m)",
      "    1 pod missing, without a sample: pod-2 (of 500m)",
      "    1 pod unready, in phase Pending: pod-3 (of 500m)",
      "    usage 1050m ÷ requests 1 = 105 %; 105 % ÷ target 50 % = ratio 2.1",
      "    ratio 2.1 is outside tolerance, 0.9 to 1.1",
      "    Again, counting each missing pod as using 0 and each unready pod as using 0:",
      "      usage 1050m ÷ requests 2 = 52 %; 52 % ÷ target 50 % = ratio 1.04",
      "      ratio 1.04 is within tolerance, 0.9 to 1.1",
      "    the ratio is within tolerance, so replicas don't change: 3",
      "  Metric 2 (External): external metric queue calls for 5 replicas",
      "    2 values: 130, 20",
      "    total 150 ÷ 3 replicas in the scale's status = 50 each; 150 ÷ (target 30 × 3) = ratio 1.667",
      "    ratio 1.667 is outside tolerance, 0.9 to 1.1",
      "    total ÷ target per pod, rounded up: 150 ÷ 30 → 5",
      "  Desired: 5, the highest of 2 metrics, by external metric queue",
      "  Stabilization (0 s up, 300 s down): 5 → 5, no change",
      "  Scale-up rate (Max of 2 policies): limit 4",
      "    Percent per 60 s: 3 now − 1 added + 0 removed = 2 at its start, + 10 % → 3",
      "    Pods per 60 s: 3 now − 1 added + 0 removed = 2 at its start, + 2 → 4",
      "  Limits [1, 10]: 5 → 4, capped by scale-up policies",
    ].join("\n"),
  );
});

test("a total has no average while the scale's status counts 0 replicas", () => {
  const scale = { ok: true, specReplicas: 1, statusReplicas: 0, selector: "app=web" } as const;
  expect(explain(decide(externalInput("90", 1, { scale })).decision)).toContain(
    "total 90 ÷ 0 replicas in the scale's status = no average; 90 ÷ (target 10 × 0) = ratio Infinity",
  );
});

test("Markdown nests, and names cannot break out of it", () => {
  const bad = externalInput("1", 1, { hpa: hpaOf({ metrics: [externalAverage("1", "<b>*x*")] }) });
  const text = explain(decide(bad).decision, "markdown");
  expect(text).toMatch(/^\*\*Stay at 1 replica\*\*\n\n- Scale: 1/);
  expect(text).toContain("\\<b\\>\\*x\\*");
});

test("what holds a scale-down is named with its time", () => {
  const log = { ...memory, recommendations: [{ replicas: 4, atMs: nowMs - 60_000 }] };
  const text = explain(decide(externalInput("10", 3), log).decision);
  expect(text).toContain(
    "Stabilization (300 s down): 1 → 4, held by the recommendation of 4 from 2026-01-01T11:59:00Z",
  );
});

test("an error is in the first line, and in full below", () => {
  const text = explain(decide(externalInput("1", 2, { samples: [{ error: "down" }] })).decision);
  expect(text.split("\n")[0]).toMatch(/^Stay at 2 replicas: failed to compute desired number of replicas/);
  expect(text).toContain("No metric could be read, so nothing changes");
});

test.each([
  ["1.38", "outside"],
  ["1.32", "within"],
] as const)("0 ÷ 0 has no ratio, which %s treats as %s tolerance", (semantics, where) => {
  const scale = { ok: true, specReplicas: 2, statusReplicas: 0, selector: "app=web" } as const;
  const { decision } = decide(externalInput("0", 2, { scale, options: { semantics } }));
  const text = explain(decision);
  expect(text).toContain("0 ÷ (target 10 × 0) = no ratio (0 ÷ 0)");
  expect(text).toContain(`no ratio (0 ÷ 0) counts as ${where} tolerance, 0.9 to 1.1`);
  const brief = stepLines(decision).map(({ text: line }) => line);
  expect(brief.join("\n")).toContain(`no ratio (0 ÷ 0) counts as ${where} 0.9–1.1`);
  expect(metricRows(decision)).toMatchObject([{ ratioText: "0 ÷ 0", ratio: "NaN" }]);
  expect(text + brief.join()).not.toContain("NaN");
});

test("the trace of a decision with thousands of pods stays readable", () => {
  const many = readyPods(2000);
  const samples = [cpuSamples(many.map(() => "1"))];
  const big = externalInput("0", 2000, {
    hpa: hpaOf({ metrics: [cpuUtilization(50)], maxReplicas: 5000 }),
    pods: { ok: true, pods: many },
    samples,
  });
  const { decision } = decide(big);
  expect(decision.scaleTo).toBe(4000);
  expect(explain(decision)).toContain("2000 pods ready, with a usable sample: pod-0 (1 of 1),");
  expect(explain(decision)).toContain("and 1990 more");
});

test("selectors are written as in PromQL, and not as Go prints them", () => {
  const selector = {
    matchLabels: { queue: "orders", zone: "b" },
    matchExpressions: [
      { key: "tier", operator: "In", values: ["gold", "silver"] },
      { key: "old", operator: "DoesNotExist" },
    ],
  };
  const metric = { name: "depth", selector };
  const external = { metric, target: { type: "AverageValue", averageValue: "30" } };
  const hpa = hpaOf({ metrics: [{ type: "External", external }] });
  const { decision } = decide(externalInput("150", 3, { hpa }));
  const text = explain(decision);
  const shown = "external metric depth{queue=orders, zone=b, tier in (gold, silver), old doesnotexist}";
  expect(text).toContain(`Metric 1 (External): ${shown} calls for 5 replicas`);
  expect(text).toContain(`: ${shown} above target`);
  expect(text).not.toMatch(/LabelSelector|nil/);
});

test("bytes are written with a suffix", () => {
  const metric = {
    type: "Resource",
    resource: { name: "memory", target: { type: "AverageValue", averageValue: "512Mi" } },
  };
  const usage = ["700000000", "800000000"].map((memoryUsage, index) => ({
    name: `pod-${index}`,
    timestamp: new Date(nowMs - 15_000).toISOString(),
    windowSeconds: 30,
    containers: { app: { memory: memoryUsage } },
  }));
  const ready = { pods: { ok: true as const, pods: readyPods(2) }, samples: [{ pods: usage }] };
  const { decision } = decide(externalInput("0", 2, { hpa: hpaOf({ metrics: [metric] }), ...ready }));
  const text = explain(decision);
  expect(text).toContain("usage 1430.5Mi ÷ 2 pods = 715.3Mi each; 715.3Mi ÷ target 512Mi = ratio 1.397");
  expect(text).toContain("pod-0 (667.6Mi)");
});

test("a sum below zero is shown as it is, with why it counts as the largest number", () => {
  const { decision } = decide(externalInput("-5", 2, { hpa: hpaOf({ metrics: [externalAverage("10")] }) }));
  expect(metricRows(decision)).toMatchObject([{ value: "-5", replicas: 2_147_483_647 }]);
  const why = "a running sum below zero counts as the largest number (sum -5); ";
  expect(explain(decision)).toContain(`    ${why}total 9223372036854775807m ÷ 2 replicas`);
  expect(stepLines(decision)).toContainEqual({
    name: "metrics",
    text: expect.stringContaining(why) as string,
  });
});

test.each<[semantics: "1.32" | "1.37" | "1.38", values: readonly string[], value: string]>([
  ["1.37", ["-5", "100"], "95"],
  ["1.37", ["5G", "-5"], "4999999995"],
  ["1.37", ["9223372036854775", "9223372036854775"], "9223372036854775807m"],
  ["1.38", ["9223372036854775", "9223372036854775"], "9223372036854775807m"],
  ["1.32", ["-5"], "-5"],
])("under %s the values %j are shown as %s", (semantics, values, value) => {
  const samples = [{ values: values.map((one) => ({ value: one })) }];
  const hpa = hpaOf({ metrics: [externalAverage("10")] });
  const { decision } = decide(externalInput("1", 2, { hpa, samples, options: { semantics } }));
  expect(metricRows(decision)).toMatchObject([{ value }]);
});
