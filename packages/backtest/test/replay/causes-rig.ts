// What the replays of planted causes have in common.
import type { OpenLoopReport, RecordingCause } from "../../src/index.ts";

/** Causes of the mismatches, in time. */
export function causesOf({ mismatches }: OpenLoopReport): readonly RecordingCause[] {
  return mismatches.map(({ cause }) => cause);
}

export function repeated(count: number, value: number): readonly number[] {
  return Array.from({ length: count }, () => value);
}
