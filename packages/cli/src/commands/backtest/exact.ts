// The backtest of decision records, object by object, one record at a time.
import { createExactReplay, type ExactReplay, type ExactReplayMeter } from "@plimsoll/backtest";
import { createProgress, type ProgressSeams } from "../../output/progress.ts";
import { CliError, type CliSeams } from "../../seams.ts";
import { readRecords, recordBytes } from "../replay/records.ts";
import type { BacktestReport } from "./document.ts";

export interface ExactRequest {
  readonly files: readonly string[];
  /** "namespace/name"; absent: all that have records. */
  readonly object: string | undefined;
  readonly periodMs: number;
}

export interface ExactBacktest {
  readonly reports: readonly BacktestReport[];
  readonly notes: readonly string[];
  readonly errors: readonly string[];
}

const maxObjects = 5000;
const maxSteps = 50_000_000;
const bytesPerMb = 1_000_000;
/** So many errors are listed of files that hold something else. */
const maxErrors = 100;

/** What the records give; on an interrupt, those that were read until then. @throws CliError above a limit */
export async function backtestRecords(
  { files, object, periodMs }: ExactRequest,
  seams: Pick<CliSeams, "readText" | "signal"> & ProgressSeams,
): Promise<ExactBacktest> {
  const objects = new Map<string, ExactReplayMeter>();
  const errors: string[] = [];
  const notes: string[] = [];
  let [steps, bytes] = [0, 0];
  const allBytes = await recordBytes(files);
  const progress = createProgress(0, seams, "MB");
  const onBytes = (more: number): void => {
    bytes += more;
    progress.to(bytes / bytesPerMb, Math.round(allBytes / bytesPerMb));
  };
  try {
    for await (const read of readRecords(files, seams, onBytes)) {
      seams.signal.throwIfAborted();
      if (!read.ok) {
        if (errors.length < maxErrors) errors.push(read.message);
        continue;
      }
      const { metadata } = read.record.input.hpa;
      const name = [metadata?.namespace, metadata?.name].filter(Boolean).join("/");
      if (object !== undefined && name !== object) continue;
      steps++;
      checkLimits(steps, objects.size);
      meterOf(objects, name, periodMs).add(read.record);
    }
  } catch (error) {
    if (!seams.signal.aborted) throw error;
    notes.push(`interrupted: the report covers the ${steps} records that were read`);
  } finally {
    progress.end();
  }
  const found = [...objects].flatMap(([name, meter]) => {
    const result = meter.result();
    return result === undefined ? [] : [{ name, result }];
  });
  notes.push(...found.flatMap(({ name, result }) => orderNotes(name, result)));
  const worstFirst = found.toSorted((a, b) => shareOf(a.result) - shareOf(b.result));
  return { reports: worstFirst.map(({ name, result }) => reportOf(name, result)), notes, errors };
}

function checkLimits(steps: number, objects: number): void {
  if (steps > maxSteps)
    throw new CliError(`the files contain more than ${maxSteps} records: use fewer files, or --object`);
  if (objects > maxObjects) {
    throw new CliError(
      `the files contain records of more than ${maxObjects} objects: use --object NAMESPACE/NAME`,
    );
  }
}

function meterOf(objects: Map<string, ExactReplayMeter>, name: string, periodMs: number): ExactReplayMeter {
  const known = objects.get(name);
  if (known !== undefined) return known;
  const made = createExactReplay({ periodMs, maxMismatches: Infinity });
  objects.set(name, made);
  return made;
}

function shareOf({ agreed, steps }: ExactReplay): number {
  return agreed / steps;
}

function orderNotes(name: string, { outOfOrder }: ExactReplay): readonly string[] {
  if (outOfOrder === 0) return [];
  return [
    `${name}: left out ${outOfOrder} records that are older than the record before them; list the files in the order of time`,
  ];
}

function reportOf(object: string, result: ExactReplay): BacktestReport {
  const { fromMs, toMs, steps, agreed, skill, events, podHoursError, causes, mismatches } = result;
  return {
    object,
    level: "exact",
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    openLoop: {
      steps,
      agreed,
      ...(skill === undefined ? {} : { skill }),
      events,
      ...(podHoursError === undefined ? {} : { podHoursError }),
      causes,
      mismatches: mismatches.map(({ atMs, ...rest }) => ({ at: new Date(atMs).toISOString(), ...rest })),
    },
  };
}
