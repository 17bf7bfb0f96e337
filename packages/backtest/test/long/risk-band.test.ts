// The upper end of the risk against the simulated truth. PLIMSOLL_RISK_SEEDS=50 runs as many seeds of each memory of the noise.
import { type Autoscaler, type Load, simulate } from "@plimsoll/simulator";
import { hpa, podsMetric } from "@plimsoll/simulator/testing";
import { expect, test } from "vitest";
import { inferLoad } from "../../src/infer/load.ts";
import { createCounterfactual } from "../../src/infer/what-if.ts";
import { recordScenario } from "../../src/testing/recorder.ts";
import { recordedDay, waves } from "../infer/recorded-day.ts";
import { whatIfOf } from "../infer/run-plan.ts";

const seeds = Number(process.env["PLIMSOLL_RISK_SEEDS"] ?? "2");
const capacity = 200;

function requests(target: string): Autoscaler {
  return hpa({ metrics: [podsMetric("http_requests_per_second", target)], minReplicas: 2, maxReplicas: 60 });
}

/** Of so many seeds the upper end is at least three quarters of the true shortage. */
function enough(memoryMs: number, hotAbove: number): number {
  const load: Load = { ...waves, memoryMs } as Load;
  let found = 0;
  for (let seed = 1; seed <= seeds; seed++) {
    const [own, other] = [requests("60"), requests("75")];
    const recording = recordScenario({ ...recordedDay(own, { load }), seed });
    const read = inferLoad(recording, { autoscaler: own, rateMs: 30_000, scrapeMs: 15_000 });
    if (!read.ok) throw new Error(read.message);
    const options = { periodMs: 15_000, seed: 1000 + seed, hotAbove };
    const made = createCounterfactual(recording, { autoscaler: own, inferred: read.load }, options);
    const whatIf = whatIfOf(made, other);
    const day = recordedDay(other, { load });
    const workloads = day.workloads.map((one) => ({
      ...one,
      objective: { utilization: hotAbove / capacity },
    }));
    const truth = simulate({ ...day, seed, workloads }, { seriesPoints: 0 }).workloads[0]?.scores;
    const { high } = whatIf.shortPodSeconds;
    if (high >= 0.75 * (truth?.shortPodSeconds ?? Infinity)) found++;
  }
  return found / seeds;
}

test.each([5000, 20_000, 60_000])("with a memory of %i ms", (memoryMs) => {
  expect(enough(memoryMs, 80)).toBeGreaterThanOrEqual(0.8);
});
