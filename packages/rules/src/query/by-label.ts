// Groups the samples of a shared result by a label.
import { labelOf, type VectorSample } from "@plimsoll/prometheus";

type ByLabel = ReadonlyMap<string, readonly VectorSample[]>;

/** A result that many requests share is grouped by a label once, and for as long as the result exists. */
const groups = new WeakMap<readonly VectorSample[], Map<string, ByLabel>>();

/** The samples of a result by the value of a label, "" for those without it. */
export function byLabel(samples: readonly VectorSample[], label: string): ByLabel {
  const known = groups.get(samples) ?? new Map<string, ByLabel>();
  groups.set(samples, known);
  const found = known.get(label) ?? Map.groupBy(samples, (sample) => labelOf(sample.labels, label) ?? "");
  known.set(label, found);
  return found;
}
