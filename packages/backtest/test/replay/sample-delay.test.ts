// Statuses of pods that are Ready before they have a sample: the delay is estimated.

import { minuteMs } from "@plimsoll/core/internal/values";
import type { Autoscaler } from "@plimsoll/simulator";
import { hpa, pod, podsMetric, scenario, startMs, workload } from "@plimsoll/simulator/testing";
import { expect, test } from "vitest";
import { type OpenLoopReport, type Recording, replayOpenLoop } from "../../src/index.ts";
import { asScraped, recordScenario } from "../../src/testing/recorder.ts";

const autoscaler: Autoscaler = hpa({
  metrics: [podsMetric("http_requests_per_second", "60")],
  minReplicas: 1,
  maxReplicas: 20,
  behavior: { scaleDown: { stabilizationWindowSeconds: 60 } },
});

/** Pods are Ready after a second, and have a rate after two scrapes, as in the run of the real controller. */
function recorded(waveMs: number, durationMs = 180 * minuteMs): Recording {
  const fixed = (ms: number) => ({ kind: "fixed", ms }) as const;
  const start = { schedule: fixed(100), pull: fixed(100), ready: fixed(800) };
  const sine = { kind: "sine", mean: 270, amplitude: 150, periodMs: waveMs, peakAtMs: startMs + waveMs / 2 };
  const own = workload({
    replicas: 2,
    load: { kind: "noise", of: { ...sine, kind: "sine" }, deviation: 0.03, memoryMs: 20_000 },
    pod: { ...pod, start, terminationMs: 1000 },
    autoscaler,
    metrics: { http_requests_per_second: { of: "requests", query: "rate", windowMs: minuteMs } },
  });
  const controller = { syncPeriodMs: 15_000, slipMs: 98, firstSyncMs: 5000, reactionMs: 200, options: {} };
  const truth = recordScenario(scenario({ durationMs, controller }, [own]), { scrapeMs: 15_000 });
  const seen = asScraped(truth, 15_000);
  return { ...seen, metrics: seen.metrics.map((metric) => ({ ...metric, level: "status", samples: [] })) };
}

function replayed(recording: Recording): OpenLoopReport {
  const options = { periodMs: 15_000, cacheAgeMs: 15_000, maxMismatches: 100 };
  const report = replayOpenLoop(recording, autoscaler, options);
  if (report === undefined) throw new Error("there are no decisions");
  return report;
}

test.each([
  ["slow", 20 * minuteMs, 95.1],
  ["fast", 8 * minuteMs, 87.8],
])("a %s load: with the delay the bar of a status is met", (_, waveMs, without) => {
  const { steps, agreed, skill, causes, notes } = replayed(recorded(waveMs));
  expect(agreed / steps).toBeGreaterThan(0.98);
  expect(skill).toBeGreaterThan(0.9);
  expect(causes.unexplained ?? 0).toBe(0);
  expect(notes).toEqual([
    expect.stringMatching(
      new RegExp(
        `^assuming that pods have their first sample (22.5|37.5) s after .*, without it ${without} %$`,
      ),
    ),
  ]);
});

test("a few steps are no reason for a delay: each is explained alone", () => {
  const few = replayed(recorded(20 * minuteMs, 6 * minuteMs));
  const { notes, mismatches } = few;
  expect(notes).toEqual([]);
  expect(few.steps - few.agreed).toBeGreaterThan(0);
  expect(mismatches.map(({ cause }) => cause)).not.toContain("unexplained");
});
