// A decision that is not the recorded one, with what its counter-checks need.
import type { DecideResult, HpaMemory } from "@plimsoll/core";
import type { InputChange, ReplayInputs } from "./inputs.ts";
import type { RecordedDecision } from "./recorded-decisions.ts";
import type { Recording } from "./recording.ts";
import type { ReplayState } from "./replay-memory.ts";

/** What of the input, changed alone, makes the decision the recorded one; in the order in which it is tried. */
export type RecordingCause =
  | "warm-up"
  | "spec-changed"
  | "metric-failed"
  | "two-moves"
  | "clock"
  | "cache-age"
  | "pod-lag"
  | "rollout"
  | "rounding"
  | "semantics"
  | "resource-path"
  | "manual-scale"
  | "controller-restart"
  | "unexplained";

/** How the replay is made; all that a recording does not hold. */
export interface ReplayBounds {
  readonly periodMs: number;
  /** How old the response of a metrics API may be. */
  readonly cacheAgeMs: number;
}

/** A mismatch while its cause is looked for. */
export interface MismatchCase extends ReplayBounds {
  readonly recording: Recording;
  readonly inputs: ReplayInputs;
  readonly decisions: readonly RecordedDecision[];
  readonly at: number;
  readonly decision: RecordedDecision;
  readonly state: ReplayState;
  readonly result: DecideResult;
  /** Of the specification at the time. */
  readonly windowMs: number;
  /** Where what is remembered begins. */
  readonly sinceMs: number;
  readonly isClockKnown: boolean;
  /** The result, where it is the recorded one. */
  tryInput(change: InputChange, memory?: HpaMemory): DecideResult | undefined;
  tryMemory(memory: HpaMemory | undefined): DecideResult | undefined;
  /** Replicas that a result gives. */
  countOf(result: DecideResult, of: RecordedDecision): number;
}

export interface FoundCause {
  readonly evidence: string;
  /** With that change: the memory goes on from it. */
  readonly result?: DecideResult;
  /** The memory goes on from it. */
  readonly state?: ReplayState;
}

/** Undefined: it is not this. */
export type CounterCheck = (mismatch: MismatchCase) => FoundCause | undefined;

/** Decisions before it were not read: statuses come less often than they. */
export function areMissing({ inputs, decisions, at, decision, periodMs }: MismatchCase): boolean {
  const before = decisions[at - 1];
  return inputs.isStatusOnly && before !== undefined && decision.atMs - before.atMs > 1.5 * periodMs;
}
