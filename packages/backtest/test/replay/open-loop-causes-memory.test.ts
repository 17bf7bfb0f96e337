// Causes that work through what is remembered: several decisions, unknown instants, changes in the first window.
import { hpa } from "@plimsoll/simulator/testing";
import { expect, test } from "vitest";
import type { OpenLoopReport, RecordingCause } from "../../src/index.ts";
import { external, instantOf, periodMs, planted } from "./planted.ts";

function causesOf({ mismatches }: OpenLoopReport): readonly RecordingCause[] {
  return mismatches.map(({ cause }) => cause);
}

function repeated(count: number, value: number): readonly number[] {
  return Array.from({ length: count }, () => value);
}

/** Goes up when six decisions in a row want it. */
const slow = hpa({
  ...external.hpa.spec,
  behavior: { scaleUp: { stabilizationWindowSeconds: 80 } },
});

/** The server of the metric was late at two decisions: it had the load of before. */
const lateTwice = {
  autoscaler: slow,
  totals: [...repeated(22, 30), ...repeated(4, 60), 30, 30, ...repeated(15, 60)],
  actual: (n: number) =>
    n === 26 || n === 27 ? { input: { samples: [{ values: [{ value: "60" }] }] } } : {},
};

test("cache-age: samples were older at several decisions, each of which is remembered", () => {
  const report = planted({ ...lateTwice, options: { cacheAgeMs: 2 * periodMs } });
  expect(causesOf(report)).toEqual(["cache-age"]);
  expect(report.mismatches[0]).toMatchObject({
    atMs: instantOf(27),
    recorded: 6,
    ours: 3,
    evidence: "with older samples at 2 decisions since 2026-11-27T00:06:30.000Z it decides 6",
  });
});

test("samples that are older than the bound explain nothing", () => {
  const report = planted({ ...lateTwice, options: { cacheAgeMs: periodMs } });
  expect(causesOf(report)[0]).toBe("unexplained");
});

test("what was read is looked at before a change that the recording does not have", () => {
  const policies = [{ type: "Pods", value: 10, periodSeconds: 900 }];
  const report = planted({
    autoscaler: hpa({ ...external.hpa.spec, behavior: { scaleUp: { policies } } }),
    totals: [...repeated(5, 30), ...repeated(10, 60)],
    actual: (n) => (n === 5 ? { input: { samples: [{ values: [{ value: "30" }] }] } } : {}),
    options: { cacheAgeMs: periodMs },
  });
  expect(causesOf(report)).toEqual(["cache-age"]);
});

test("manual-scale is found with an unknown clock too", () => {
  const report = planted({
    totals: repeated(60, 30),
    byHand: { 25: 9 },
    recorded: (recording) => ({ ...recording, syncs: { atMs: [], clock: "unknown" } }),
  });
  expect(report.clock.state).toBe("unknown");
  expect(report.phases).toHaveLength(4);
  expect(report.causes).toEqual({ "manual-scale": 1 });
  expect(report.mismatches[0]).toMatchObject({ recorded: 9, ours: 3 });
});

test("a tolerance that changes while it is recorded counts from the decision that had it", () => {
  const tolerance = "50m";
  const behavior = { scaleUp: { tolerance }, scaleDown: { tolerance } };
  const changed = hpa({ ...external.hpa.spec, behavior });
  const atMs = instantOf(25) - 6000;
  const plan = {
    // A twelfth more than the target: within the usual tenth, and not within a twentieth.
    totals: repeated(45, 32.5),
    actual: (n: number) => (n >= 25 ? { input: { hpa: changed.hpa } } : {}),
  };
  const report = planted({
    ...plan,
    recorded: (recording) => ({
      ...recording,
      autoscaler: {
        ...recording.autoscaler,
        changes: [{ field: "tolerance", atMs, earliestMs: atMs, value: 0.05 }],
      },
    }),
  });
  expect(report).toMatchObject({ steps: 45, agreed: 45, causes: {} });
  expect(report.events).toMatchObject({ recorded: 1, exact: 1 });
  expect(planted(plan).agreed).toBeLessThan(45);
});
