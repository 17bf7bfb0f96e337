// Where the load moves too fast for the formulas of a queue in balance (Green and Kolesar).
import type { QueuePiece } from "../plant/queue.ts";

/** A load that changes by this part of itself while a queue comes to rest is too fast. */
const transientPart = 0.1;

/** Follows the load from piece to piece. */
export interface Transient {
  /**
   * So many seconds at the beginning of the piece are too fast. `restSeconds` is how long the queue takes to come to rest;
   * 0: something waits, and its latency is known.
   */
  move(piece: QueuePiece, restSeconds: number, slope: number): number;
}

/** Before the first piece. */
export function createTransient(): Transient {
  let last = NaN;
  /** After a jump, until the queue is at rest again. */
  let left = 0;
  return {
    move({ seconds, loadFrom, loadTo }, restSeconds, slope) {
      const hasJumped = Math.abs(loadFrom - last) > transientPart * last;
      last = loadTo;
      left = hasJumped ? restSeconds : Math.min(left, restSeconds);
      const unknown = Math.min(left, seconds);
      left -= unknown;
      const load = (loadFrom + loadTo) / 2;
      return Math.abs(slope) * restSeconds > transientPart * load ? seconds : unknown;
    },
  };
}

/** What is left of a piece without its first seconds. */
export function restOf(piece: QueuePiece, without: number): QueuePiece {
  const { seconds, loadFrom, loadTo, served } = piece;
  const part = 1 - without / seconds;
  return {
    ...piece,
    seconds: seconds * part,
    loadFrom: loadTo + (loadFrom - loadTo) * part,
    served: served * part,
  };
}
