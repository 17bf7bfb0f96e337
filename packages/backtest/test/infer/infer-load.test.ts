// The load that a recording gives back: of simulated days whose load is known.
import type { Load } from "@plimsoll/simulator";
import { hpa, loadCursor, pod, podsMetric, startMs } from "@plimsoll/simulator/testing";
import { expect, test } from "vitest";
import { inferLoad } from "../../src/infer/load.ts";
import { loadOf } from "../../src/infer/series.ts";
import { recordScenario } from "../../src/testing/recorder.ts";
import { cpuMetric, recordedDay, waves } from "./recorded-day.ts";

/** The mean over each bucket. */
function means(
  of: Load,
  grid: {
    readonly fromMs: number;
    readonly bucketMs: number;
    readonly size: number;
    readonly beginMs: number;
  },
): Float64Array {
  const { fromMs, bucketMs, size, beginMs } = grid;
  const cursor = loadCursor(of, beginMs, { seed: 1, purpose: "shop/load" });
  return Float64Array.from({ length: size }, (_, at) => {
    let sum = 0;
    for (let ms = 0; ms < bucketMs; ms += 1000) {
      cursor.moveTo(Math.max(beginMs, fromMs + at * bucketMs + ms + 500));
      sum += cursor.perSecond;
    }
    return (sum * 1000) / bucketMs;
  });
}

const requests = podsMetric("http_requests_per_second", "60");

test.each([
  { what: "a rate over 30 s", metric: requests, rateMs: 30_000, unit: 1, bar: 0.012 },
  { what: "a rate over 1 min", metric: requests, rateMs: 60_000, unit: 1, bar: 0.02 },
  { what: "a rate over 2 min", metric: requests, rateMs: 120_000, unit: 1, bar: 0.026 },
  { what: "cpu", metric: cpuMetric, rateMs: 30_000, unit: pod.cpuPerRequest, bar: 0.01 },
])("the load behind $what", ({ metric, rateMs, unit, bar }) => {
  const autoscaler = hpa({ metrics: [metric], minReplicas: 2, maxReplicas: 60 });
  const recording = recordScenario(recordedDay(autoscaler, { rateMs }));
  const read = inferLoad(recording, { autoscaler, rateMs, scrapeMs: 15_000 });
  if (!read.ok) throw new Error(read.message);
  const { series, bridgedShare, leftOutShare } = read.load;
  const { fromMs, bucketMs, perSecond } = series;
  const truth = means(waves, { fromMs, bucketMs, size: perSecond.length, beginMs: startMs - rateMs });
  let [squares, offered, found, count] = [0, 0, 0, 0];
  for (const [at, value] of perSecond.entries()) {
    if (fromMs + at * bucketMs < startMs) continue;
    const own = truth[at] ?? 0;
    squares += (value / unit - own) ** 2;
    offered += own;
    found += value / unit;
    count++;
  }
  expect(Math.abs(found / offered - 1)).toBeLessThan(0.0005);
  expect(Math.sqrt(squares / count) / (offered / count)).toBeLessThan(bar);
  expect({ bridgedShare, leftOutShare }).toEqual({ bridgedShare: 0, leftOutShare: 0 });
  expect(loadOf(series).atMs).toHaveLength(perSecond.length + 1);
});
