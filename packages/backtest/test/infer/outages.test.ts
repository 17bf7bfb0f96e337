// An outage of the Prometheus that a recording is read from: rates at its edges are too low, and there is nothing within it.
import { minuteMs } from "@plimsoll/core/internal/values";
import { hpa, startMs } from "@plimsoll/simulator/testing";
import { expect, test } from "vitest";
import type { Recording } from "../../src/index.ts";
import { inferLoad } from "../../src/infer/load.ts";
import { createCounterfactual } from "../../src/infer/what-if.ts";
import { recordScenario } from "../../src/testing/recorder.ts";
import { cpuMetric, recordedDay } from "./recorded-day.ts";

const rangeMs = 120_000;
const scrapeMs = 15_000;
const autoscaler = hpa({ metrics: [cpuMetric], minReplicas: 2, maxReplicas: 60 });
const day = recordedDay(autoscaler, { hours: 3, idleCpu: 0.1 });
const resourceQuery = { query: "rate", rangeMs, windowMs: rangeMs } as const;
const recording = recordScenario({ ...day, scraping: { ...day.scraping, resourceQuery } });

/** As a rate over the scrapes that remain in its range. */
function withOutage(minutes: number): Recording {
  const fromMs = startMs + 90 * minuteMs;
  const toMs = fromMs + minutes * minuteMs;
  const left = (atMs: number): number => {
    const missing = Math.min(atMs, toMs) - Math.max(atMs - rangeMs, fromMs);
    return 1 - Math.max(0, missing) / rangeMs;
  };
  const metrics = recording.metrics.map((metric) => ({
    ...metric,
    samples: metric.samples
      .filter(({ atMs }) => left(atMs) > scrapeMs / rangeMs)
      .map(({ atMs, values }) => ({
        atMs,
        values: values.map((one) => ({ ...one, value: one.value * left(atMs) })),
      })),
  }));
  const isScraped = ({ atMs }: { atMs: number }) => atMs < fromMs || atMs > toMs;
  return { ...recording, metrics, status: recording.status.filter(isScraped) };
}

function read(of: Recording) {
  const inferred = inferLoad(of, { autoscaler, scrapeMs });
  if (!inferred.ok) throw new Error(inferred.message);
  const { load } = inferred;
  const options = { periodMs: 15_000, seed: 1 };
  return { load, made: createCounterfactual(of, { autoscaler, inferred: load }, options) };
}

const whole = read(recording);

test.each([1.5, 4, 10])("an outage of %s min is not read as zero load", (minutes) => {
  const { load, made } = read(withOutage(minutes));
  const { perSecond, fromMs, bucketMs, leftOut } = load.series;
  for (const [at, value] of perSecond.entries()) {
    const atMs = fromMs + at * bucketMs;
    if (leftOut.some((gap) => gap.fromMs <= atMs && atMs < gap.toMs)) continue;
    expect(value).toBeGreaterThan(0.7 * (whole.load.series.perSecond[at] ?? 0));
  }
  // What a pod uses without load is as little known as without the outage.
  expect(load.overhead?.idle).toBeUndefined();
  expect(load.overhead?.max).toBeCloseTo(whole.load.overhead?.max ?? 0, 2);
  expect(made.unknowns.map(({ kind }) => kind)).toContain("idle");
  expect(Math.abs(made.control.podHoursError)).toBeLessThan(0.02);
});
