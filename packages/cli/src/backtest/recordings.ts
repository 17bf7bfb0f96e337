// The backtest of recordings, one after the other.
import type { ControllerOptions } from "@plimsoll/core";
import {
  type Agreement,
  type Autoscaler,
  manifestProblems,
  type OpenLoopReport,
  type Recording,
  readAutoscaler,
  replayOpenLoop,
} from "@plimsoll/simulator";
import { CliError, type CliSeams } from "../seams.ts";
import { counterfactualOf } from "./counterfactual.ts";
import type { BacktestPhase, BacktestReport } from "./document.ts";
import type { ExactBacktest } from "./exact.ts";
import { readRecordingFile } from "./read-recording.ts";
import { withSettings } from "./replay-settings.ts";
import type { RunSeams } from "./run-plans.ts";
import type { CounterfactualRequest } from "./what-if-flags.ts";

/** How a recording is replayed; what it does not hold itself. */
export interface ReplayFlags {
  readonly periodMs: number;
  readonly cacheAgeMs: number;
  /** How its controller is configured, and by which rules it decides, where that is not the default. */
  readonly settings: Partial<ControllerOptions>;
  /** Absent: nothing else is simulated. */
  readonly counterfactual?: CounterfactualRequest | undefined;
}

export interface RecordingsRequest extends ReplayFlags {
  readonly files: readonly string[];
  /** "namespace/name"; absent: all of them. */
  readonly object: string | undefined;
}

const maxMismatches = 100;

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
      const name = nameOf(recording);
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
  const read = autoscalerOf(recording, flags);
  if (report === undefined || typeof read === "string") return { reports, notes, errors };
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
  const autoscaler = autoscalerOf(recording, flags);
  if (typeof autoscaler === "string") return { reports: [], notes: [], errors: [autoscaler] };
  const { periodMs, cacheAgeMs } = flags;
  const report = replayOpenLoop(recording, autoscaler, { periodMs, cacheAgeMs, maxMismatches, signal });
  const errors = manifestProblems(recording, autoscaler);
  if (report === undefined) return { reports: [], notes: ["the recording holds no decisions"], errors };
  return { reports: [reportOf(nameOf(recording), report)], notes: report.notes, errors };
}

/** That of the recording, or why it is none. */
function autoscalerOf(recording: Recording, { settings }: ReplayFlags): Autoscaler | string {
  const read = readAutoscaler(recording.autoscaler.object);
  if (!read.ok) return `autoscaler.object ${read.message}`;
  return withSettings(read.autoscaler, settings);
}

/** The autoscaler's own name; that of its target where the manifest has none. */
function nameOf({ autoscaler, target }: Recording): string {
  const { metadata } = (autoscaler.object ?? {}) as { readonly metadata?: { readonly name?: unknown } };
  const name = typeof metadata?.name === "string" ? metadata.name : target.name;
  return `${target.namespace}/${name}`;
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

/** JSON has no field for what is not known. */
function figuresOf({ steps, agreed, skill, events, podHoursError }: Agreement): BacktestPhase {
  return {
    steps,
    agreed,
    ...(skill === undefined ? {} : { skill }),
    events,
    ...(podHoursError === undefined ? {} : { podHoursError }),
  };
}
