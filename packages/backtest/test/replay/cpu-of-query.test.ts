// Cpu that the metrics adapter reads by a query: its range and its window are not those of metrics-server.
import { hpa, startMs } from "@plimsoll/simulator/testing";
import { expect, test } from "vitest";
import { replayOpenLoop } from "../../src/replay/open-loop.ts";
import { recordScenario } from "../../src/testing/recorder.ts";
import { cpuMetric, recordedDay } from "../infer/recorded-day.ts";

const autoscaler = hpa({ metrics: [cpuMetric], minReplicas: 2, maxReplicas: 60 });
const load = { kind: "sine", mean: 900, amplitude: 700, periodMs: 1_200_000, peakAtMs: startMs } as const;
const day = recordedDay(autoscaler, { hours: 2, load });
const resourceQuery = { query: "rate", rangeMs: 120_000, windowMs: 120_000 } as const;
const recording = recordScenario({ ...day, scraping: { ...day.scraping, resourceQuery } });
const options = { periodMs: 15_000, cacheAgeMs: 0, maxMismatches: 9 };

test("a pod counts when its window is over, as the rules say it", () => {
  const report = replayOpenLoop(recording, autoscaler, options);
  expect(report?.steps).toBeGreaterThan(470);
  expect(report?.mismatches).toEqual([]);
  const metrics = recording.metrics.map((metric) => ({ ...metric, windowMs: 15_000 }));
  expect(replayOpenLoop({ ...recording, metrics }, autoscaler, options)?.mismatches).not.toEqual([]);
});
