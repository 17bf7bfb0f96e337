// The values of a metric at one instant as numbers: of many pods over a week, objects take four times the memory.
import type { RecordedSample } from "../replay/recording.ts";

/** One value for each position; without a pod where there is no name. */
export interface Packed {
  readonly pods: readonly (string | undefined)[];
  readonly values: readonly number[];
}

/** The values become objects when they are read. */
export function packedSample(atMs: number, { pods, values }: Packed): RecordedSample {
  return {
    atMs,
    get values() {
      return values.map((value, at) => {
        const pod = pods[at];
        return pod === undefined ? { value } : { pod, value };
      });
    },
  };
}

/** The same samples, where neighbors with the same pods have one list of their names. */
export function withSharedNames(samples: readonly Packed[]): readonly Packed[] {
  let before: Packed["pods"] = [];
  return samples.map(({ pods, values }) => {
    const isSame = pods.length === before.length && pods.every((pod, at) => pod === before[at]);
    if (!isSame) before = pods;
    return { pods: before, values };
  });
}
