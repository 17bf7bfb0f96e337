// A what-if on a recording of the stack, against the stack that is run again with the other specification.
import { createCounterfactual, inferLoad } from "@plimsoll/backtest";
import type { HorizontalPodAutoscaler } from "@plimsoll/core";
import { readAutoscaler, simulate } from "@plimsoll/simulator";
import { areaOf, valueAt } from "./against-simulator.ts";
import { recordingOf } from "./recording.ts";
import { runStack, type StackRequest, syncPeriodMs } from "./stack.ts";

/** What is recorded, and what else is asked about. */
export interface WhatIfCase {
  readonly name: string;
  readonly request: Omit<StackRequest, "later">;
  readonly other: HorizontalPodAutoscaler;
}

/** The figures of a case: pod-hours and peak as the what-if has them, and as they were. */
export interface WhatIfResult {
  readonly name: string;
  readonly controlError: number;
  readonly podHours: number;
  readonly truePodHours: number;
  /** The likely one, and the lowest and the highest of the draws. */
  readonly peak: number;
  readonly peakRange: readonly [low: number, high: number];
  readonly truePeak: number;
}

/** Until the pods, their metrics and the first decisions are there. */
const settlingMs = 300_000;
const rateMs = 60_000;

/** Records the stack, infers, and runs it again. */
export async function whatIf({ name, request, other }: WhatIfCase): Promise<WhatIfResult> {
  const run = await runStack(request);
  const recording = recordingOf(run, settlingMs);
  const autoscaler = autoscalerOf(request.hpa);
  const read = inferLoad(recording, { autoscaler, scrapeMs: request.scrapeMs ?? 15_000, rateMs });
  if (!read.ok) throw new Error(read.message);
  const options = { periodMs: syncPeriodMs, seed: 1 };
  const made = createCounterfactual(recording, { autoscaler, inferred: read.load }, options);
  const planned = made.plan(autoscalerOf(other));
  if (!planned.ok) throw new Error(planned.message);
  const { plan } = planned;
  const runs = plan.scenarios.map((scenario) => simulate(scenario(), { seriesPoints: 0 }));
  const { scores, peak: peaks } = plan.read(runs);
  const truth = await runStack({ ...request, later: { afterMs: settlingMs, hpa: other } });
  const span = { fromMs: truth.startMs + settlingMs, toMs: truth.endMs };
  if (valueAt(run.scale, span.fromMs) !== valueAt(truth.scale, span.fromMs))
    throw new Error("two runs of the stack differ before their specifications do");
  const { podHours, peak } = areaOf(truth.scale, span);
  return {
    name,
    controlError: made.control.podHoursError,
    podHours: scores.podHours,
    truePodHours: podHours,
    peak: peaks.likely,
    peakRange: [peaks.low, peaks.high],
    truePeak: peak,
  };
}

function autoscalerOf(hpa: HorizontalPodAutoscaler) {
  const read = readAutoscaler(hpa);
  if (!read.ok) throw new Error(read.message);
  return read.autoscaler;
}
