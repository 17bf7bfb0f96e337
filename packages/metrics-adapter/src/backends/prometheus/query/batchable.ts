// Checks whether a rule's query may be batched over objects.
import { type CacheMeter, createComputedCache } from "@plimsoll/component-base";
import { isFilterable } from "@plimsoll/prometheus";
import type { QueryScope } from "@plimsoll/rules";

const MARKER = "__plimsoll_matchers__";

/**
 * Whether a rule's query for all values of a label, filtered by the label, gives the same as the query for some of
 * the values. Computed from the template, and false where it is not certain.
 */
export type CanBatch = (scope: QueryScope, label: string) => boolean;

/** Results are cached by template, series and label. */
export function createCanBatch(meter?: CacheMeter): CanBatch {
  const known = createComputedCache<undefined, boolean>({
    name: "batchable",
    meter,
    maxBytes: 2 * 1024 * 1024,
    maxKeyLength: 8_192,
  });
  return (scope, label) => {
    const { template, series, groupBy } = scope;
    const key = JSON.stringify([series, label, groupBy, template.text]);
    return known.get(key, undefined, () => isBatchable(scope, label));
  };
}

function isBatchable({ template, series, groupBy }: QueryScope, label: string): boolean {
  const fields = template.plainFields;
  if (fields === undefined) return false;
  if (fields.filter((field) => field === "LabelMatchers").length !== 1) return false;
  // .LabelValuesByName puts the object's name somewhere else than in a matcher.
  if (fields.some((field) => !["LabelMatchers", "Series", "GroupBy"].includes(field))) return false;
  const promql = template.render({
    series,
    labelMatchers: `${MARKER}="1"`,
    labelValuesByName: new Map(),
    groupBy,
  });
  return isFilterable(promql, label, MARKER);
}
