// The search on one recording: how well it is reproduced, its load, and what is better on days it was not chosen on.
import { availableParallelism } from "node:os";
import {
  type FloorForecast,
  forecastFloors,
  type InferredLoad,
  inferLoad,
  manifestProblems,
  type OpenLoopReport,
  type Recording,
  replayOpenLoop,
  type TuneProgress,
  type TuneRefusal,
  type TuneReport,
  type TuneRequest,
  tune,
} from "@plimsoll/backtest";
import type { Autoscaler } from "@plimsoll/simulator";
import { createProgress, type ProgressSeams } from "../../output/progress.ts";
import { CliError, type CliSeams, clockOf } from "../../seams.ts";
import { signalsSeen } from "../../threads/signals-seen.ts";
import type { LoadSettings } from "../backtest/load-flags.ts";
import { recordedAutoscaler } from "../backtest/recorded-autoscaler.ts";
import type { RecordedController } from "../backtest/replay-flags.ts";
import { createTuneThreads } from "./threads.ts";

/** What the flags say. */
export interface TuneSettings extends RecordedController, LoadSettings {
  readonly search: Pick<TuneRequest, "seed" | "objective" | "timeZone" | "candidates" | "space" | "isForced">;
  /** Days at a time; absent: as many as there are processors. */
  readonly jobs: number | undefined;
  readonly hasForecast: boolean;
}

export type SearchSeams = ProgressSeams & Pick<CliSeams, "signal">;

/** What came out; without a report and a refusal it was interrupted before there was one. */
export interface Found {
  readonly autoscaler: Autoscaler;
  readonly openLoop?: OpenLoopReport;
  readonly inferred?: InferredLoad;
  readonly report?: TuneReport;
  readonly refusal?: TuneRefusal;
  readonly forecast?: FloorForecast;
  readonly notes: readonly string[];
  /** What of the recording is wrong. */
  readonly errors: readonly string[];
}

const interrupted = "interrupted before any comparison";

/** @throws CliError where the recording cannot be searched */
export async function search(
  recording: Recording,
  settings: TuneSettings,
  seams: SearchSeams,
): Promise<Found> {
  const autoscaler = recordedAutoscaler(recording, settings.settings);
  if (typeof autoscaler === "string") throw new CliError(autoscaler);
  const errors = manifestProblems(recording, autoscaler);
  const openLoop = replayed(recording, autoscaler, settings);
  const before = { autoscaler, errors, ...(openLoop === undefined ? {} : { openLoop }) };
  await signalsSeen();
  if (seams.signal.aborted) return { ...before, notes: [interrupted] };
  const { rateMs, scrapeMs, loadModels, periodMs } = settings;
  const read = inferLoad(recording, { autoscaler, rateMs, scrapeMs, loadModels });
  if (!read.ok) throw new CliError(read.message);
  const inferred = read.load;
  const { timeZone } = settings.search;
  const forecast = settings.hasForecast
    ? forecastFloors({ recording, autoscaler, inferred, periodMs, timeZone })
    : undefined;
  await signalsSeen();
  const skill = skillOf(openLoop);
  const request: TuneRequest = {
    recording,
    autoscaler,
    inferred,
    periodMs,
    ...settings.search,
    ...(skill === undefined ? {} : { openLoopSkill: skill }),
    signal: seams.signal,
  };
  const last = await lastOf(request, settings.jobs, seams);
  return {
    ...before,
    inferred,
    ...(last?.kind === "report" ? { report: last.report } : {}),
    ...(last?.kind === "refused" ? { refusal: last.refusal } : {}),
    ...(forecast === undefined ? {} : { forecast }),
    notes: [...(openLoop?.notes ?? []), ...interruptionOf(last)],
  };
}

function replayed(
  recording: Recording,
  autoscaler: Autoscaler,
  { periodMs, cacheAgeMs }: TuneSettings,
): OpenLoopReport | undefined {
  return replayOpenLoop(recording, autoscaler, { periodMs, cacheAgeMs, maxMismatches: 0 });
}

/** Of an unknown clock it says nothing about the model. */
function skillOf(openLoop: OpenLoopReport | undefined): number | undefined {
  return openLoop === undefined || openLoop.clock.state === "unknown" ? undefined : openLoop.skill;
}

function interruptionOf(last: TuneProgress | undefined): readonly string[] {
  if (last === undefined) return [interrupted];
  if (last.kind !== "report" || last.report.isComplete) return [];
  return ["interrupted: the report covers the runs so far"];
}

/** The report or the refusal; undefined where there is none because of an interruption. */
async function lastOf(
  request: TuneRequest,
  jobs: number | undefined,
  seams: SearchSeams,
): Promise<Exclude<TuneProgress, { readonly kind: "progress" }> | undefined> {
  const { signal } = seams;
  const threads = createTuneThreads(jobs ?? availableParallelism(), { clock: clockOf(seams), signal });
  const progress = createProgress(0, seams, "simulated days");
  try {
    for await (const step of tune(request, threads.evaluate)) {
      if (step.kind !== "progress") return step;
      progress.to(step.done, step.expected);
    }
    return undefined;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    progress.end();
    threads.stop();
  }
}
