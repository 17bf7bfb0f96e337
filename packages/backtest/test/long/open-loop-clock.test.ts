// The open loop over what a Prometheus has of a simulated day: whole seconds, counts at scrapes, and no instants.
import type { MetricSpec } from "@plimsoll/core";
import { dayMs } from "@plimsoll/core/internal/values";
import type { Autoscaler, Load, Scenario } from "@plimsoll/simulator";
import { hpa, pod, podsMetric, scenario, startMs, workload } from "@plimsoll/simulator/testing";
import { describe, expect, test } from "vitest";
import {
  clockInstants,
  clockMarks,
  type OpenLoopReport,
  type Recording,
  recoverClock,
  replayOpenLoop,
} from "../../src/index.ts";
import { asScraped, recordScenario } from "../../src/testing/recorder.ts";

const periodMs = 15_000;

const load: Load = {
  kind: "noise",
  of: { kind: "sine", mean: 900, amplitude: 700, periodMs: dayMs, peakAtMs: startMs + dayMs / 2 },
  deviation: 0.05,
  memoryMs: 20_000,
};

function dayOf(autoscaler: Autoscaler, durationMs = dayMs): Scenario {
  const controller = { syncPeriodMs: periodMs, slipMs: 21, firstSyncMs: 5000, reactionMs: 200, options: {} };
  const start = {
    schedule: { kind: "fixed", ms: 900 },
    pull: { kind: "fixed", ms: 3300 },
    ready: { kind: "log-normal", medianMs: 18_000, p95Ms: 40_000 },
  } as const;
  const slow = { ...pod, start, terminationMs: 20_000, drainMs: 5000 };
  return scenario({ durationMs, controller }, [workload({ replicas: 8, load, pod: slow, autoscaler })]);
}

const metrics: readonly (readonly [string, MetricSpec])[] = [
  ["Pods", podsMetric("http_requests_per_second", "60")],
  [
    "Resource",
    { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } } },
  ],
];

function autoscalerOf(metric: MetricSpec): Autoscaler {
  return hpa({ metrics: [metric], minReplicas: 2, maxReplicas: 60 });
}

function replayed(recording: Recording, autoscaler: Autoscaler): OpenLoopReport {
  const report = replayOpenLoop(recording, autoscaler, { periodMs, cacheAgeMs: 0, maxMismatches: 100 });
  if (report === undefined) throw new Error("there are no decisions");
  return report;
}

/** The clock is found from the pods, and then the metric is read at its instants. */
function recovered(
  day: Scenario,
  everyMs: number,
): { readonly recording: Recording; readonly truth: Recording } {
  const truth = recordScenario(day);
  const seen = asScraped(truth, everyMs);
  const marks = clockMarks(seen);
  const clock = recoverClock(marks, periodMs);
  if (clock.state !== "recovered") throw new Error(clock.why);
  const atMs = clockInstants(clock, marks, truth.span);
  const { metrics: read, status } = recordScenario(day, { samplesAt: atMs, scrapeMs: everyMs });
  return { truth, recording: { ...seen, metrics: read, status, syncs: { atMs, clock: "recovered" } } };
}

describe.each(metrics)("%s, with a recovered clock", (_, metric) => {
  const autoscaler = autoscalerOf(metric);

  test.each([15_000, 30_000, 60_000])("at scrapes every %i ms", (everyMs) => {
    const { recording, truth } = recovered(dayOf(autoscaler), everyMs);
    const report = replayed(recording, autoscaler);
    const { steps, agreed, skill, events } = report;
    expect(Math.abs(steps - truth.syncs.atMs.length)).toBeLessThanOrEqual(1);
    expect(agreed / steps).toBeGreaterThanOrEqual(0.985);
    expect(skill).toBeGreaterThanOrEqual(0.5);
    expect(events.recorded).toBeGreaterThan(30);
    expect(events.exact / events.recorded).toBeGreaterThanOrEqual(0.75);
    expect(events.matched / events.recorded).toBeGreaterThanOrEqual(0.8);
    expect(report.causes.unexplained ?? 0).toBeLessThanOrEqual(1);
    // Nobody scaled it, and nothing restarted.
    expect(report.causes).not.toHaveProperty("manual-scale");
    expect(report.causes).not.toHaveProperty("controller-restart");
  });

  test.each([
    [15_000, 0.99],
    [30_000, 0.985],
    [60_000, 0.96],
  ])("the status alone, read every %i ms", (everyMs, bar) => {
    const truth = recordScenario(dayOf(autoscaler), { scrapeMs: everyMs });
    const alone = asStatus({ ...truth, syncs: { atMs: [], clock: "unknown" }, pods: [], scale: [] });
    const report = replayed(alone, autoscaler);
    expect(report).toMatchObject({ clock: { state: "not-needed" }, levels: ["status"], phases: [] });
    expect(report.agreed / report.steps).toBeGreaterThan(bar);
    const withPods = replayed(asStatus(asScraped(truth, everyMs)), autoscaler);
    expect(withPods.clock.state).toBe("recovered");
    expect(withPods.agreed / withPods.steps).toBeGreaterThan(bar);
  });
});

function asStatus(recording: Recording): Recording {
  return {
    ...recording,
    metrics: recording.metrics.map((metric) => ({ ...metric, level: "status", samples: [] })),
  };
}

test("with too few changes for a clock four phases are replayed, and the report is that of the worst", () => {
  const autoscaler = autoscalerOf(podsMetric("http_requests_per_second", "60"));
  const short = dayOf(autoscaler, dayMs / 6);
  const samplesAt = Array.from({ length: dayMs / 30_000 }, (_, n) => startMs + n * 5000);
  const dense = recordScenario(short, { samplesAt });
  const report = replayed(asScraped(dense, periodMs), autoscaler);
  expect(report.clock.state).toBe("unknown");
  expect(report.clock.why).toMatch(/^replicas changed \d times, but the clock needs 8 changes$/);
  expect(report.phases).toHaveLength(4);
  const shares = report.phases.map(({ agreed, steps }) => agreed / steps);
  expect(report.agreed / report.steps).toBe(Math.min(...shares));
  expect(Math.min(...shares)).toBeGreaterThan(0.98);
});

test("an interrupt ends it", () => {
  const autoscaler = autoscalerOf(podsMetric("http_requests_per_second", "60"));
  const recording = recordScenario(dayOf(autoscaler, 3_600_000));
  const signal = AbortSignal.abort(new Error("enough"));
  const options = { periodMs, cacheAgeMs: 0, maxMismatches: 1, signal };
  expect(() => replayOpenLoop(recording, autoscaler, options)).toThrow("enough");
});

test("a recording without decisions has no report", () => {
  const autoscaler = autoscalerOf(podsMetric("http_requests_per_second", "60"));
  const recording = recordScenario(dayOf(autoscaler, 3_600_000));
  const empty: Recording = { ...recording, scale: [], status: [] };
  expect(replayOpenLoop(empty, autoscaler, { periodMs, cacheAgeMs: 0, maxMismatches: 1 })).toBeUndefined();
});
