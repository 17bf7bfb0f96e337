// Each cause is planted: the controller has one thing otherwise, and the replay says which.
import { hpa, startMs } from "@plimsoll/simulator/testing";
import { expect, test } from "vitest";
import { causesOf, repeated } from "./causes-rig.ts";
import { external, instantOf, ofReady, periodMs, planted } from "./planted.ts";

/** Up at once, down behind the window. */
const upAndDown = [...repeated(6, 100), ...repeated(40, 20)];

test("without anything planted all comes again", () => {
  const report = planted({ totals: upAndDown });
  expect(report).toMatchObject({ steps: 46, agreed: 46, mismatches: [], causes: {} });
  expect(report.events).toMatchObject({ recorded: 3, exact: 3, extra: 0 });
});

test("warm-up: what was proposed before the recording is unknown", () => {
  const recommendations = [{ replicas: 3, atMs: startMs - 40_000 }];
  const report = planted({
    totals: repeated(40, 10),
    actual: (n) => (n === 0 ? { memory: { recommendations, scaleUpEvents: [], scaleDownEvents: [] } } : {}),
  });
  // Ours takes the first count for a proposal, and holds it for a whole window.
  expect(causesOf(report)).toEqual(["warm-up"]);
  expect(report.mismatches[0]).toMatchObject({ recorded: 1, ours: 3 });
  expect(report.mismatches[0]?.evidence).toBe("with other proposals before the recording it decides 1");
});

test("warm-up: a change before the recording counts against a policy", () => {
  const policies = [{ type: "Pods", value: 4, periodSeconds: 120 }];
  const autoscaler = hpa({ ...external.hpa.spec, behavior: { scaleUp: { policies } } });
  const before = {
    recommendations: [],
    scaleUpEvents: [{ change: 4, atMs: startMs - 10_000 }],
    scaleDownEvents: [],
  };
  const report = planted({
    autoscaler,
    totals: repeated(20, 60),
    actual: (n) => (n === 0 ? { memory: before } : {}),
  });
  expect(causesOf(report)).toEqual(["warm-up"]);
  expect(report.mismatches[0]).toMatchObject({ atMs: startMs, recorded: 3, ours: 6 });
  expect(report.mismatches[0]?.evidence).toBe("with 4 added before the recording it decides 3");
});

test("spec-changed: a target counts before it is read", () => {
  const changed = hpa({
    ...external.hpa.spec,
    metrics: [
      {
        type: "External",
        external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "5" } },
      },
    ],
  });
  const report = planted({
    totals: repeated(30, 30),
    actual: (n) => (n >= 25 ? { input: { hpa: changed.hpa } } : {}),
    recorded: (recording) => ({
      ...recording,
      autoscaler: {
        ...recording.autoscaler,
        changes: [
          {
            atMs: instantOf(25) + 9000,
            earliestMs: instantOf(25) - 6000,
            field: "target",
            metricIndex: 0,
            value: 5,
          },
        ],
      },
    }),
  });
  expect(causesOf(report)).toEqual(["spec-changed"]);
  expect(report.mismatches[0]?.evidence).toBe(
    "with the specification after the change near it, it decides 6",
  );
});

test("a generation without a known change is noted", () => {
  const report = planted({
    totals: repeated(30, 30),
    recorded: (recording) => ({
      ...recording,
      autoscaler: {
        ...recording.autoscaler,
        changes: [{ atMs: instantOf(10), earliestMs: instantOf(9), field: "generation", value: 2 }],
      },
    }),
  });
  expect(report.notes).toEqual([`behavior may have changed at ${new Date(instantOf(10)).toISOString()}`]);
});

test("metric-failed: ScalingActive is false, or samples are absent", () => {
  const failing = { input: { samples: [{ error: "no answer" }] } };
  const totals = [...repeated(25, 30), ...repeated(5, 60)];
  const byCondition = planted({ totals, actual: (n) => (n === 25 ? failing : {}) });
  expect(causesOf(byCondition)).toEqual(["metric-failed"]);
  expect(byCondition.mismatches[0]?.evidence).toMatch(
    /^ScalingActive was false; with an error in the place of metrics\[0\]/,
  );
  const byGap = planted({
    totals,
    actual: (n) => (n === 25 ? failing : {}),
    recorded: (recording) => ({
      ...recording,
      status: [],
      metrics: recording.metrics.map((metric) => ({
        ...metric,
        gaps: [{ fromMs: instantOf(25) - 1000, toMs: instantOf(25) + 1000 }],
      })),
    }),
  });
  expect(causesOf(byGap)).toEqual(["metric-failed"]);
  expect(byGap.mismatches[0]?.evidence).toMatch(/^samples are absent/);
});

test("manual-scale: the count moves, and the status wanted something else", () => {
  const report = planted({ totals: repeated(60, 30), byHand: { 25: 9 } });
  expect(causesOf(report)).toEqual(["manual-scale"]);
  expect(report.mismatches[0]).toMatchObject({
    recorded: 9,
    ours: 3,
    evidence: "replicas changed to 9, but the controller's status wants 3",
  });
});

test("controller-restart: an emptied memory holds for a window", () => {
  const report = planted({ totals: upAndDown, actual: (n) => (n === 18 ? { memory: "lost" } : {}) });
  expect(causesOf(report)).toEqual(["controller-restart"]);
  expect(report.mismatches[0]?.evidence).toMatch(
    /^with a memory emptied at 2026-11-27T00:0.* everything decides as recorded until the windows are full$/,
  );
});

test("clock: the decision was made within a period of its instant", () => {
  const report = planted({
    totals: [...repeated(25, 30), ...repeated(20, 60)],
    // It read before the load came.
    actual: (n) => (n === 25 ? { input: { samples: [{ values: [{ value: "30" }] }] } } : {}),
    recorded: (recording) => ({ ...recording, syncs: { ...recording.syncs, clock: "recovered" } }),
  });
  expect(causesOf(report)).toEqual(["clock"]);
  expect(report.mismatches[0]?.evidence).toMatch(/^decided 0\.9 s earlier it gives 3/);
});

test("cache-age: with a known clock the samples were older", () => {
  const plan = {
    totals: [...repeated(25, 30), ...repeated(20, 60)],
    actual: (n: number) => (n === 25 ? { input: { samples: [{ values: [{ value: "30" }] }] } } : {}),
  };
  const report = planted({ ...plan, options: { cacheAgeMs: periodMs } });
  expect(causesOf(report)).toEqual(["cache-age"]);
  expect(report.mismatches[0]?.evidence).toBe("with the samples of 15.0 s earlier it decides 3");
  expect(causesOf(planted(plan))).toEqual(["unexplained"]);
});

test("unexplained: no input alone gives the count, and ours is explained", () => {
  const report = planted({
    totals: repeated(30, 30),
    byHand: { 25: 7 },
    recorded: (recording) => ({ ...recording, status: [] }),
  });
  expect(report.mismatches[0]).toMatchObject({ recorded: 7, ours: 3, cause: "unexplained" });
  expect(report.mismatches[0]?.evidence).toMatch(
    /^no single input leads to 7; ours: Staying at 3 replicas: /,
  );
});

test("decisions without samples near them are left out, and what comes behind is a new beginning", () => {
  const report = planted({
    totals: repeated(90, 30),
    recorded: (recording) => ({
      ...recording,
      metrics: recording.metrics.map((metric) => ({
        ...metric,
        samples: metric.samples.filter(({ atMs }) => atMs < instantOf(20) || atMs >= instantOf(70)),
      })),
    }),
  });
  // 300 seconds are bridged.
  expect(report).toMatchObject({ leftOut: 30, steps: 60, agreed: 60 });
});

test("a metric of which nothing is known is noted", () => {
  const report = planted({
    autoscaler: hpa({
      ...external.hpa.spec,
      metrics: [...(external.hpa.spec.metrics ?? []), ...(ofReady.hpa.spec.metrics ?? [])],
    }),
    totals: repeated(30, 30),
    actual: () => ({ input: { hpa: external.hpa } }),
    recorded: (recording) => ({
      ...recording,
      metrics: [...recording.metrics, { index: 1, level: "none", samples: [], gaps: [] }],
    }),
  });
  expect(report.agreed).toBe(30);
  expect(report.levels).toEqual(["series", "none"]);
  expect(report.notes).toEqual(["metrics[1]: unknown, so its decisions are not reproduced"]);
});
