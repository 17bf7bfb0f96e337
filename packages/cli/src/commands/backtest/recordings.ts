// The backtest of recordings, one after the other.
import {
  type Agreement,
  manifestProblems,
  type OpenLoopReport,
  type Recording,
  replayOpenLoop,
} from "@plimsoll/backtest";
import { CliError, type CliSeams } from "../../seams.ts";
import { signalsSeen } from "../../threads/signals-seen.ts";
import { counterfactualOf, incomplete } from "./counterfactual.ts";
import type { BacktestPhase, BacktestReport } from "./document.ts";
import type { ExactBacktest } from "./exact.ts";
import { readRecordingFile } from "./read-recording.ts";
import { recordedAutoscaler, recordedName } from "./recorded-autoscaler.ts";
import type { RecordedController } from "./replay-flags.ts";
import type { RunSeams } from "./run-plans.ts";
import type { CounterfactualRequest } from "./what-if-flags.ts";

/** How a recording is replayed; what it does not hold itself. */
export interface ReplayFlags extends RecordedController {
  /** Absent: nothing else is simulated. */
  readonly counterfactual?: CounterfactualRequest | undefined;
}

export interface RecordingsRequest extends ReplayFlags {
  readonly files: readonly string[];
  /** "namespace/name"; absent: all of them. */
  readonly object: string | undefined;
}

/** What the recordings give, the worst first; on an interrupt, those that were replayed until then. */
export async function backtestRecordings(
  { files, object, ...flags }: RecordingsRequest,
  seams: Pick<CliSeams, "readText"> & RunSeams,
): Promise<ExactBacktest> {
  const reports: BacktestReport[] = [];
  const [notes, errors]: [string[], string[]] = [[], []];
  for (const file of files) {
    try {
      const recording = await readRecordingFile(file, seams);
      const name = recordedName(recording);
      if (object !== undefined && name !== object) continue;
      const one = await backtestWithWhatIfs(recording, flags, seams);
      reports.push(...one.reports);
      notes.push(...one.notes.map((note) => `${name}: ${note}`));
      errors.push(...one.errors.map((error) => `${file}: ${error}`));
    } catch (error) {
      if (seams.signal.aborted) {
        notes.push(`interrupted: the report covers ${reports.length} of ${files.length} recordings`);
        break;
      }
      if (!(error instanceof CliError)) throw error;
      errors.push(error.message);
    }
  }
  return { reports: worstFirst(reports), notes, errors };
}

/** One recording, wherever it is from, and what other autoscalers would have done. @throws what the signal throws */
export async function backtestWithWhatIfs(
  recording: Recording,
  flags: ReplayFlags,
  seams: RunSeams,
): Promise<ExactBacktest> {
  const { reports, notes, errors } = backtestRecording(recording, flags, seams.signal);
  const [report] = reports;
  const read = recordedAutoscaler(recording, flags.settings);
  if (report === undefined || typeof read === "string") return { reports, notes, errors };
  await signalsSeen();
  if (seams.signal.aborted && flags.counterfactual !== undefined)
    return { reports, notes: [...notes, incomplete], errors };
  const { settings, periodMs } = flags;
  const recorded = { recording, autoscaler: read, settings, periodMs };
  const made = await counterfactualOf(recorded, flags.counterfactual, seams);
  return {
    reports: [{ ...report, ...made.fields }],
    notes: [...notes, ...made.notes],
    errors: [...errors, ...made.errors],
  };
}

/** The open loop alone. @throws what the signal throws */
export function backtestRecording(
  recording: Recording,
  flags: ReplayFlags,
  signal: AbortSignal,
): ExactBacktest {
  const autoscaler = recordedAutoscaler(recording, flags.settings);
  if (typeof autoscaler === "string") return { reports: [], notes: [], errors: [autoscaler] };
  const { periodMs, cacheAgeMs } = flags;
  const report = replayOpenLoop(recording, autoscaler, {
    periodMs,
    cacheAgeMs,
    maxMismatches: Infinity,
    signal,
  });
  const errors = manifestProblems(recording, autoscaler);
  if (report === undefined) return { reports: [], notes: ["the recording contains no decisions"], errors };
  return { reports: [reportOf(recordedName(recording), report)], notes: report.notes, errors };
}

/** By the share of steps that agree. */
export function worstFirst(reports: readonly BacktestReport[]): readonly BacktestReport[] {
  return reports.toSorted((a, b) => shareOf(a) - shareOf(b));
}

function shareOf({ openLoop }: BacktestReport): number {
  return openLoop.agreed / Math.max(1, openLoop.steps);
}

function reportOf(object: string, report: OpenLoopReport): BacktestReport {
  const { fromMs, toMs, levels, clock, phases, causes, mismatches, leftOut } = report;
  const [level = "none"] = levels;
  return {
    object,
    level: levels.every((one) => one === level) ? level : "mixed",
    levels,
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    clock,
    openLoop: {
      ...figuresOf(report),
      causes,
      mismatches: mismatches.map(({ atMs, ...rest }) => ({ at: new Date(atMs).toISOString(), ...rest })),
      leftOut,
      ...(phases.length === 0 ? {} : { phases: phases.map(figuresOf) }),
    },
  };
}

/** JSON has no field for what is unknown. */
function figuresOf({ steps, agreed, skill, events, podHoursError }: Agreement): BacktestPhase {
  return {
    steps,
    agreed,
    ...(skill === undefined ? {} : { skill }),
    events,
    ...(podHoursError === undefined ? {} : { podHoursError }),
  };
}
