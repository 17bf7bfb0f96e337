// The instants at which the decisions of a recording were made: known, recovered, or four guesses.
import { clockInstants, recoverClock } from "./clock.ts";
import { clockMarks } from "./recorded-decisions.ts";
import type { Recording } from "./recording.ts";

/** How the instants are known. "not-needed": unknown, and a status has all of a decision. */
export interface ReplayClock {
  readonly state: "known" | "recovered" | "unknown" | "not-needed";
  readonly periodMs?: number;
  /** How much the changes of the count stand at the same place of the period, 0–1. */
  readonly concentration?: number;
  readonly marks?: number;
  /** Why it is unknown. */
  readonly why?: string;
}

export interface ReplayInstants {
  readonly clock: ReplayClock;
  /** One list, or four where the clock is unknown; none where it is not needed. */
  readonly phases: readonly (readonly number[])[];
}

const phasesOfUnknown = 4;

/** Instants that the recording has count; otherwise they are recovered from the changes of the count. */
export function replayInstants(
  recording: Recording,
  periodMs: number,
  isStatusOnly: boolean,
): ReplayInstants {
  const { syncs, span } = recording;
  if (syncs.clock !== "unknown" && syncs.atMs.length > 0) {
    const usual = usualPeriod(syncs.atMs);
    const clock = { state: syncs.clock, ...(usual === undefined ? {} : { periodMs: usual }) };
    return { clock, phases: [syncs.atMs] };
  }
  const marks = clockMarks(recording);
  const found = recoverClock(marks, periodMs);
  if (found.state === "recovered") {
    const { state, concentration } = found;
    const clock = { state, periodMs: found.periodMs, concentration, marks: found.marks };
    return { clock, phases: [clockInstants(found, marks, span)] };
  }
  if (isStatusOnly) return { clock: { state: "not-needed" }, phases: [] };
  const { state, why, concentration } = found;
  const clock = { state, why, marks: found.marks, ...(concentration === undefined ? {} : { concentration }) };
  const phases = Array.from({ length: phasesOfUnknown }, (_, n) => {
    const phaseMs = span.fromMs + (n * periodMs) / phasesOfUnknown;
    return clockInstants({ periodMs, phaseMs }, [], span);
  });
  return { clock, phases };
}

function usualPeriod(atMs: readonly number[]): number | undefined {
  const distances = atMs.slice(1, 10_001).map((one, at) => one - (atMs[at] ?? 0));
  return distances.toSorted((a, b) => a - b)[distances.length >>> 1];
}
