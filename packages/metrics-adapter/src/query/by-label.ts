import { labelOf, type VectorSample } from "@plimsoll/prometheus";
import { groupBy } from "../group-by.ts";

type ByLabel = ReadonlyMap<string, readonly VectorSample[]>;

/** An answer that many requests share is sorted by label once, and for as long as the answer is there. */
const sorted = new WeakMap<readonly VectorSample[], Map<string, ByLabel>>();

/** The samples of an answer by the value of a label, "" for those without it. */
export function byLabel(samples: readonly VectorSample[], label: string): ByLabel {
  const known = sorted.get(samples) ?? new Map<string, ByLabel>();
  sorted.set(samples, known);
  const found = known.get(label) ?? groupBy(samples, (sample) => labelOf(sample.labels, label) ?? "");
  known.set(label, found);
  return found;
}
