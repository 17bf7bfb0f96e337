import { expect, test } from "vitest";
import {
  type DecideInput,
  decide,
  explain,
  type FailurePolicy,
  type HpaMemory,
  type HpaStatus,
  type MetricSamples,
  type MetricSpec,
  metricIdentity,
  shiftMemory,
  withFailedRescale,
} from "../src/index.ts";
import { failed, input, policySteps, reading } from "./failure-policies-rig.ts";
import { externalAverage, nowMs } from "./fixtures.ts";

test("Block is upstream's rule: a failed metric lets nothing scale down", () => {
  const blocked = decide(input([failed, reading("10")], [{ policy: "Block" }]));
  expect(blocked).toEqual(decide(input([failed, reading("10")], undefined)));
  expect(blocked.decision.scaleTo).toBeUndefined();
});

test("policies change nothing while every metric can be read", () => {
  const samples = [reading("10"), reading("20")];
  const policies: readonly FailurePolicy[] = [{ policy: "Ignore" }, { policy: "Fallback", replicas: 9 }];
  expect(decide(input(samples, policies))).toEqual(decide(input(samples, undefined)));
});

const hostile = { toString: null, valueOf: null };

test.each<[string, unknown]>([
  ["nothing", undefined],
  ["no object", "Ignore"],
  ["a policy of another name", { policy: "Guess" }],
  ["a time that is not a number", { policy: "HoldLast", forSeconds: hostile }],
  ["a value that is neither text nor a number", { policy: "Assume", value: hostile }],
  ["replicas that are no number", { policy: "Fallback", replicas: hostile }],
  ["a fallback without replicas", { policy: "Fallback" }],
])("an entry that is %s blocks", (_, policy) => {
  const samples = [failed, reading("10")];
  expect(decide(input(samples, [policy as FailurePolicy]))).toEqual(decide(input(samples, [])));
});

test("Ignore lets the others decide, and still reports the failure", () => {
  const result = decide(input([failed, reading("10")], [{ policy: "Ignore" }]));
  expect(result.decision).toMatchObject({ scaleTo: 1, outcome: { action: "scale_down", error: "none" } });
  expect(policySteps(result)).toMatchObject([
    { index: 0, policy: "Ignore", isApplied: true, error: { reason: "FailedGetExternalMetric" } },
  ]);
  expect(result.decision.events.map(({ reason }) => reason)).toContain("FailedGetExternalMetric");
  const metrics = result.decision.trace.filter(({ kind }) => kind === "metric");
  expect(metrics).toMatchObject([
    { index: 0, error: {} },
    { index: 1, replicas: 1 },
  ]);
  expect(explain(result.decision)).toContain(
    "Metric 1 has policy Ignore: the other metrics decide without it",
  );
});

test("what is left out keeps its place in currentMetrics, and a status is written only when it differs", () => {
  const samples = [failed, reading("10"), failed, reading("20")];
  const policies: readonly FailurePolicy[] = [
    { policy: "Ignore" },
    { policy: "Block" },
    { policy: "Fallback", replicas: 1 },
  ];
  const decideInput = input(samples, policies, 2);
  const decideOn = (status: HpaStatus | undefined) =>
    decide({ ...decideInput, hpa: { ...decideInput.hpa, status } }).decision;
  const first = decideOn(undefined);
  const shown = first.status.currentMetrics?.map(({ external, type }) => external?.metric.name ?? type);
  expect(shown).toEqual(["", "m1", "", "m3"]);
  expect(first.statusChanged).toBe(true);
  expect(decideOn(first.status).statusChanged).toBe(false);
  expect(decideOn({ ...first.status, currentReplicas: 3 }).statusChanged).toBe(true);
});

test("a failed scale write of such a decision goes back to the status as stored", () => {
  const samples = [failed, reading("80")];
  const policies: readonly FailurePolicy[] = [{ policy: "Ignore" }];
  const stored = decide(input([failed, reading("40")], policies)).decision.status;
  const on = (status: HpaStatus) => {
    const decideInput = input(samples, policies);
    return decide({ ...decideInput, hpa: { ...decideInput.hpa, status } });
  };
  expect(on(stored).decision.scaleTo).toBe(8);
  const refused = withFailedRescale(on(stored), "no").decision.status;
  expect(refused.currentMetrics?.map(({ type }) => type)).toEqual(["", "External"]);
  expect(withFailedRescale(on(refused), "no").decision.statusChanged).toBe(false);
});

test("Ignore on every metric that there is leaves the replicas alone", () => {
  const result = decide(input([failed], [{ policy: "Ignore" }]));
  expect(result.decision).toMatchObject({ scaleTo: undefined, outcome: { error: "internal" } });
  expect(policySteps(result)).toMatchObject([{ isApplied: false }]);
});

test("HoldLast takes the last good samples for as long as it says, and then blocks", () => {
  const policies: readonly FailurePolicy[] = [{ policy: "HoldLast", forSeconds: 60 }];
  const identity = metricIdentity(externalAverage("10", "m0"));
  const { memory } = decide(input([reading("80")], policies));
  expect(memory.lastGoodSamples).toEqual({ [identity]: { samples: reading("80"), atMs: nowMs } });
  const later = (ms: number) => decide({ ...input([failed], policies), nowMs: nowMs + ms }, memory);
  const held = later(60_000);
  expect(held.decision.scaleTo).toBe(8);
  expect(held.memory.lastGoodSamples).toEqual(memory.lastGoodSamples);
  expect(policySteps(held)).toMatchObject([{ isApplied: true, sampledAtMs: nowMs }]);
  const old = later(60_001);
  expect(old.decision.scaleTo).toBeUndefined();
  expect(policySteps(old)).toMatchObject([{ isApplied: false }]);
  expect(later(-1).decision.scaleTo).toBeUndefined();
});

test("HoldLast goes by the metric and not by its place in the list", () => {
  const hold: FailurePolicy = { policy: "HoldLast", forSeconds: 60 };
  const { memory } = decide(input([reading("80"), reading("20")], [hold, hold]));
  const edited = (metrics: readonly MetricSpec[], samples: readonly MetricSamples[]) =>
    decide(input(samples, [hold, hold], 4, { metrics }), memory);
  const [m0, m1] = [externalAverage("10", "m0"), externalAverage("10", "m1")];
  expect(edited([m1], [failed]).decision.scaleTo).toBe(2);
  expect(edited([m1, m0], [failed, reading("20")]).decision.scaleTo).toBe(2);
  expect(edited([externalAverage("10", "m9")], [failed]).decision.scaleTo).toBeUndefined();
  // The target is not a part of the metric: the same reading counts against the new one.
  expect(edited([externalAverage("20", "m0")], [failed]).decision.scaleTo).toBeUndefined();
  expect(Object.keys(edited([m1], [failed]).memory.lastGoodSamples ?? {})).toEqual([metricIdentity(m1)]);
});

test("identities of metrics differ by everything that is read, and by nothing else", () => {
  const selected = (matchLabels: Readonly<Record<string, string>>): MetricSpec => ({
    type: "External",
    external: { metric: { name: "q", selector: { matchLabels } }, target: { type: "Value", value: "1" } },
  });
  const described = (name: string): MetricSpec => ({
    type: "Object",
    object: {
      describedObject: { apiVersion: "v1", kind: "Service", name },
      metric: { name: "q" },
      target: { type: "Value", value: "1" },
    },
  });
  const container = (name: string): MetricSpec => ({
    type: "ContainerResource",
    containerResource: {
      name: "cpu",
      container: name,
      target: { type: "Utilization", averageUtilization: 5 },
    },
  });
  const different = [
    externalAverage("1", "q"),
    selected({ a: "1" }),
    selected({ a: "2" }),
    described("x"),
    described("y"),
    container("x"),
    container("y"),
    { type: "" },
  ].map(metricIdentity);
  expect(new Set(different).size).toBe(different.length);
  expect(metricIdentity(selected({ a: "1", b: "2" }))).toBe(metricIdentity(selected({ b: "2", a: "1" })));
  expect(metricIdentity(externalAverage("1", "q"))).toBe(metricIdentity(externalAverage("2", "q")));
});

test("what a memory holds is dropped with the policy, and kept where metrics are not read", () => {
  const hold: FailurePolicy = { policy: "HoldLast", forSeconds: 60 };
  const { memory } = decide(input([reading("80")], [hold]));
  expect(decide(input([failed], undefined), memory).memory).not.toHaveProperty("lastGoodSamples");
  const outside = decide(input([reading("10")], [hold], 99), memory);
  expect(outside.memory.lastGoodSamples).toEqual(memory.lastGoodSamples);
});

test("Assume takes one value for the metric", () => {
  const result = decide(input([failed], [{ policy: "Assume", value: "70" }]));
  expect(result.decision.scaleTo).toBe(7);
  expect(policySteps(result)).toMatchObject([{ isApplied: true, value: "70" }]);
  const cpu: MetricSpec = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization" } } };
  const resource = decide(input([failed], [{ policy: "Assume", value: 70 }], 4, { metrics: [cpu] }));
  expect(policySteps(resource)).toMatchObject([{ isApplied: false }]);
});

test.each([
  { replicas: 4, other: "20", scaleTo: 6, why: "it is a proposal" },
  { replicas: 7, other: "80", scaleTo: 8, why: "a higher proposal wins" },
  { replicas: 9, other: "20", scaleTo: 6, why: "scale-downs end at it" },
  { replicas: 9, other: undefined, scaleTo: undefined, why: "alone it lowers nothing" },
  { replicas: 6, other: undefined, scaleTo: undefined, why: "alone it lowers nothing" },
  { replicas: 2, other: undefined, scaleTo: 6, why: "alone it raises" },
])("Fallback 6 on $replicas replicas, another metric at $other: $why", ({ replicas, other, scaleTo }) => {
  const samples = other === undefined ? [failed] : [failed, reading(other)];
  const { decision } = decide(input(samples, [{ policy: "Fallback", replicas: 6 }], replicas));
  expect(decision.scaleTo).toBe(scaleTo);
  expect(decision.status.currentMetrics?.[0]).toEqual({ type: "" });
});

test.each([
  { replicas: 9, other: undefined, scaleTo: 6 },
  { replicas: 2, other: undefined, scaleTo: 6 },
  { replicas: 9, other: "80", scaleTo: 8 },
])("Fallback 6 with allowScaleDown on $replicas replicas, another metric at $other: $scaleTo", (one) => {
  const samples = one.other === undefined ? [failed] : [failed, reading(one.other)];
  const policies = [{ policy: "Fallback", replicas: 6, allowScaleDown: true }] as const;
  expect(decide(input(samples, policies, one.replicas)).decision.scaleTo).toBe(one.scaleTo);
  const blocked = decide(input([failed, failed], policies, 9)).decision;
  expect(blocked.scaleTo).toBeUndefined();
});

test.each<FailurePolicy>([
  { policy: "Assume", value: "70", afterSeconds: 45 },
  { policy: "Fallback", replicas: 7, afterSeconds: 45 },
])("$policy waits for afterSeconds of failures in a row", (policy) => {
  const identity = metricIdentity(externalAverage("10", "m0"));
  let memory: HpaMemory | undefined;
  const seen: (number | undefined)[] = [];
  const down = [0, 15, 30, 45, 60, 90, 105, 120, 135];
  for (let second = 0; second <= 135; second += 15) {
    const samples = down.includes(second) ? failed : reading("40");
    const result = decide({ ...input([samples], [policy]), nowMs: nowMs + second * 1000 }, memory);
    memory = result.memory;
    seen.push(result.decision.scaleTo);
  }
  const no = undefined;
  expect(seen).toEqual([no, no, no, 7, 7, no, no, no, no, 7]);
  expect(memory?.failingSinceMs).toEqual({ [identity]: nowMs + 90_000 });
});

test("a wait does not go on while the target is at zero, where no metric is read", () => {
  const policies: readonly FailurePolicy[] = [{ policy: "Fallback", replicas: 7, afterSeconds: 300 }];
  const before = decide(input([failed], policies));
  const atZero = decide({ ...input([failed], policies, 0), nowMs: nowMs + 15_000 }, before.memory);
  const after = decide({ ...input([failed], policies), nowMs: nowMs + 8 * 3_600_000 }, atZero.memory);
  expect(after.decision.scaleTo).toBeUndefined();
  expect(policySteps(after)).toMatchObject([{ isApplied: false }]);
});

test("a wait begins anew when a pause ends, even if the metric failed all the while", () => {
  const policies: readonly FailurePolicy[] = [{ policy: "Fallback", replicas: 7, afterSeconds: 300 }];
  const at = (seconds: number, memory?: HpaMemory, mode: DecideInput["mode"] = "Active") =>
    decide({ ...input([failed], policies), nowMs: nowMs + seconds * 1000, mode }, memory);
  const before = at(0);
  const paused = at(15, before.memory, "Paused");
  const stillPaused = at(7200, paused.memory, "Paused");
  expect(policySteps(stillPaused)).toMatchObject([{ isApplied: false }]);
  const resumed = at(7215, stillPaused.memory);
  expect(policySteps(resumed)).toMatchObject([{ isApplied: false, waitsUntilMs: nowMs + 7_515_000 }]);
  expect(at(7515, resumed.memory).decision.scaleTo).toBe(7);
});

test("a policy that waits says until when, starts anew without its memory, and moves with the clock", () => {
  const policies: readonly FailurePolicy[] = [{ policy: "Ignore", afterSeconds: 30 }];
  const first = decide(input([failed, reading("10")], policies));
  expect(first.decision.scaleTo).toBeUndefined();
  expect(policySteps(first)).toMatchObject([{ isApplied: false, waitsUntilMs: nowMs + 30_000 }]);
  expect(explain(first.decision)).toContain("until then the metric blocks scaling down");
  const later = (memory: HpaMemory | undefined) =>
    decide({ ...input([failed, reading("10")], policies), nowMs: nowMs + 30_000 }, memory).decision.scaleTo;
  expect(later(first.memory)).toBe(1);
  expect(later(undefined)).toBeUndefined();
  expect(later(shiftMemory(first.memory, 10_000))).toBeUndefined();
  const other: readonly FailurePolicy[] = [{ policy: "Block" }];
  expect(decide(input([failed], other), first.memory).memory).not.toHaveProperty("failingSinceMs");
  expect(decide(input([failed], undefined), first.memory).memory).not.toHaveProperty("failingSinceMs");
});
