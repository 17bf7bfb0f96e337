import { setFlagsFromString } from "node:v8";

/**
 * Keeps the heap of a process small; to be called before anything else. Its old part is collected when it has grown by so many
 * percent. And objects begin in the young part: V8 would create those of a kind that lived long at the start, while lists came
 * in and responses were late, in the old part from then on.
 */
export function keepHeapSmall(growthPercent: number): void {
  setFlagsFromString(`--heap-growing-percent=${String(growthPercent)}`);
  setFlagsFromString("--no-allocation-site-pretenuring");
}
