import { isFilterable, type QueryTemplate } from "@plimsoll/prometheus";
import { createMemo, type Memo } from "../memo.ts";
import type { QuestionRequest } from "./plan.ts";

const MARKER = "__plimsoll_matchers__";

/**
 * Whether a rule's query gives the same for some values of a label when it is asked for all of them and the answer is
 * then filtered by the label: known from the template, and false where it is not certain.
 */
export type CanWiden = (request: QuestionRequest, label: string) => boolean;

/** Verdicts are kept for each template, by series and label. */
export function createCanWiden(): CanWiden {
  const verdicts = new WeakMap<QueryTemplate, Memo<undefined, boolean>>();
  return (request, label) => {
    const { template, series, groupBy } = request;
    const known = verdicts.get(template) ?? createMemo<undefined, boolean>({ most: 1_000 });
    verdicts.set(template, known);
    return known.get(JSON.stringify([series, label, groupBy]), undefined, () => judge(request, label));
  };
}

function judge({ template, series, groupBy }: QuestionRequest, label: string): boolean {
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
