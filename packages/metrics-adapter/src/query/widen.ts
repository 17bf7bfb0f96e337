import { isFilterable, type QueryTemplate } from "@plimsoll/prometheus";
import type { QueryRequest } from "./plan.ts";

const MARKER = "__plimsoll_matchers__";

/**
 * Whether a rule's query gives the same for some objects when it is asked for all objects of the namespace and the
 * answer is then filtered by their label: known from the template, and false where it is not certain.
 */
export type CanWiden = (request: QueryRequest) => boolean;

/** Verdicts are kept for each template, by series and label. */
export function createCanWiden(): CanWiden {
  const verdicts = new WeakMap<QueryTemplate, Map<string, boolean>>();
  return (request) => {
    const { template, series, objects, namespace, groupBy } = request;
    if (objects === undefined || namespace === undefined) return false;
    const known = verdicts.get(template) ?? new Map<string, boolean>();
    verdicts.set(template, known);
    const key = JSON.stringify([series, objects.label, groupBy]);
    const verdict = known.get(key) ?? judge(request, objects.label);
    if (known.size >= MOST_VERDICTS) known.clear();
    known.set(key, verdict);
    return verdict;
  };
}

/** Series come and go; a template that has met more of them than this starts again. */
const MOST_VERDICTS = 1_000;

function judge({ template, series, groupBy }: QueryRequest, label: string): boolean {
  const fields = template.plainFields;
  if (fields === undefined) return false;
  if (fields.filter((field) => field === "LabelMatchers").length !== 1) return false;
  // .LabelValuesByName says the object's name somewhere else than in a matcher.
  if (fields.some((field) => !["LabelMatchers", "Series", "GroupBy"].includes(field))) return false;
  const promql = template.render({
    series,
    labelMatchers: `${MARKER}="1"`,
    labelValuesByName: new Map(),
    groupBy,
  });
  return isFilterable(promql, label, MARKER);
}
