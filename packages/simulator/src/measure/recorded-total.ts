// A metric whose values are given: as they were recorded, whatever the simulated pods do, or shared by them.
import type { RecordedTotal } from "../loop/scenario.ts";
import { lastAtOrBefore } from "../replay/last.ts";

/** The value at an instant with so many Ready pods; undefined where there is none. */
export function recordedValue(
  { atMs: instants, values, isShared }: RecordedTotal,
  atMs: number,
  ready: number,
): number | undefined {
  const value = values[lastAtOrBefore(instants, atMs)];
  if (value === undefined || !isShared) return value;
  return ready === 0 ? undefined : value / ready;
}
