import type { DecideInput, DecideResult, HpaMemory } from "../spec/decision.ts";

/** A `SuccessfulRescale` event: when it was recorded, and its message. */
export interface RescaleEvent {
  readonly atMs: number;
  readonly message: string;
}

/** How the history of an object was chosen that no process here has followed. */
export interface UnknownHistoryResult {
  readonly result: DecideResult;
  /** What `result` was decided with. */
  readonly memory: HpaMemory | undefined;
  /**
   * "does-not-matter": the same count from all. "a": nothing of the past holds. "b": the present count holds. "c": as
   * "a", with the scale events that are known.
   */
  readonly history: "does-not-matter" | "a" | "b" | "c";
  /** The counts of each. */
  readonly desired: { readonly a: number; readonly b: number; readonly c: number };
  readonly notes: readonly string[];
}

/** Decides for an object of which neither recommendations nor scale events are known. */
export function decideWithUnknownHistory(
  _input: DecideInput,
  _rescales: readonly RescaleEvent[],
): UnknownHistoryResult {
  throw new Error("not implemented");
}
