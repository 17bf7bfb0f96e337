// The open loop over decision records of one autoscaler: the recorded inputs, with our own memory from one to the next.
import { type DecideResult, type DecisionRecord, type HpaMemory, withFailedRescale } from "@plimsoll/core";
import { type Agreement, createAgreementMeter } from "./agreement.ts";
import { explainMismatch, isEmptyMemory, type MismatchCause, replayWith, type Start } from "./causes.ts";

/** A decision that is not the recorded one. */
export interface Mismatch {
  readonly atMs: number;
  readonly recorded: number;
  readonly ours: number;
  readonly cause: MismatchCause;
  readonly evidence: string;
}

export interface ExactReplay extends Agreement {
  readonly fromMs: number;
  readonly toMs: number;
  readonly mismatches: readonly Mismatch[];
  /** Of all mismatches, the ones that are not listed included. */
  readonly causes: Readonly<Partial<Record<MismatchCause, number>>>;
  /** Records that are not behind the one before them. */
  readonly outOfOrder: number;
}

export interface ExactReplayMeter {
  add(record: DecisionRecord): void;
  /** Undefined when there was no record. */
  result(): ExactReplay | undefined;
}

export interface ExactReplayOptions {
  /** Of the controller: changes within it are the same change. */
  readonly periodMs: number;
  /** The others are counted. */
  readonly maxMismatches: number;
}

/** Takes the records of one object, in the order of time. The first brings its memory; later ones are decided with ours. */
export function createExactReplay({ periodMs, maxMismatches }: ExactReplayOptions): ExactReplayMeter {
  const meter = createAgreementMeter(periodMs);
  const mismatches: Mismatch[] = [];
  const causes: Partial<Record<MismatchCause, number>> = {};
  let memory: HpaMemory | undefined;
  let start: Start | undefined;
  let span: { readonly fromMs: number; readonly toMs: number } | undefined;
  let outOfOrder = 0;
  return {
    add(record) {
      const { nowMs: atMs } = record.input;
      if (span !== undefined && !(atMs > span.toMs)) {
        outOfOrder++;
        return;
      }
      if (span === undefined) memory = record.memory;
      start ??= startAt(record, memory);
      span = { fromMs: span?.fromMs ?? atMs, toMs: atMs };
      const ours = replayWith(record, memory);
      const recorded = record.result.decision.desiredReplicas;
      const decided = ours.decision.desiredReplicas;
      meter.add({ atMs, current: record.result.decision.currentReplicas, recorded, ours: decided });
      if (decided === recorded) {
        memory = memoryAfter(ours, record);
        if (start !== undefined) start = startAfter(start, record);
        return;
      }
      const { cause, evidence, result } = explainMismatch(record, memory, start);
      causes[cause] = (causes[cause] ?? 0) + 1;
      if (mismatches.length < maxMismatches)
        mismatches.push({ atMs, recorded, ours: decided, cause, evidence });
      // One cause is one mismatch: from here on we know what the controller knew.
      memory = memoryAfter(result ?? ours, record);
      start = undefined;
    },
    result: () =>
      span === undefined ? undefined : { ...span, ...meter.result(), mismatches, causes, outOfOrder },
  };
}

/** The longest window of a specification: after it both memories hold the same. */
const maxWindowMs = 3_600_000;

/** The controller knows nothing where we remember something: it began here. */
function startAt({ memory, input }: DecisionRecord, ours: HpaMemory | undefined): Start | undefined {
  return isEmptyMemory(memory) && !isEmptyMemory(ours) ? { atMs: input.nowMs, memory } : undefined;
}

function startAfter({ atMs, memory }: Start, record: DecisionRecord): Start | undefined {
  if (record.input.nowMs - atMs > maxWindowMs) return undefined;
  return { atMs, memory: memoryAfter(replayWith(record, memory), record) };
}

/** What is remembered depends on what became of the decision: a scale that was not written is none. */
function memoryAfter(result: DecideResult, { applied }: DecisionRecord): HpaMemory {
  if (applied.outcome !== "scale-failed" && applied.outcome !== "withheld") return result.memory;
  return withFailedRescale(result, applied.message ?? "", applied.isUncertain).memory;
}
