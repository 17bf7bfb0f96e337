import { compileQueryTemplate, type QueryTemplate, TemplateError } from "@plimsoll/prometheus";
import type { Place, RulesDocument } from "../document/document.ts";

/** Reads a query template. One that is empty, or that reads a field that there is not, cannot be rendered. */
export function readQuery(
  document: RulesDocument,
  place: Place,
  owner: Place,
  series = "<<.Series>>",
): QueryTemplate | undefined {
  const text = document.text(place);
  if (text.trim() === "") {
    const where = document.isAbsent(place) ? { path: place.path, node: owner.node } : place;
    document.warn(
      where,
      `the query is missing: its metrics are listed, but every request for them fails; add one, such as sum(${series}{<<.LabelMatchers>>}) by (<<.GroupBy>>)`,
    );
    return undefined;
  }
  try {
    const query = compileQueryTemplate(text);
    for (const error of query.fields.unknown)
      document.warn(place, `${error.reason}; every request to it fails`, error);
    const { promqlProblem } = document.syntax;
    const sample = promqlProblem === undefined ? undefined : sampleQuery({ query });
    const problem = sample === undefined ? undefined : promqlProblem?.(sample);
    if (problem !== undefined) {
      const shown = sample?.trim().replaceAll(/\s+/g, " ");
      document.warn(place, `the query is not PromQL: ${problem}; with sample values it is ${shown}`);
    }
    return query;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    document.problem(place, error.message, error);
    return undefined;
  }
}

/** A query without the matchers of the request gives one namespace's value to all of them. */
export function warnIfUnconfined(
  document: RulesDocument,
  place: Place,
  query: QueryTemplate | undefined,
): void {
  const used = query?.fields.used;
  if (used === undefined || used.has("LabelMatchers") || used.has("LabelValuesByName")) return;
  document.warn(
    place,
    "the query uses neither .LabelMatchers nor .LabelValuesByName: every namespace gets the same series; use <<.Series>>{<<.LabelMatchers>>}",
  );
}

export interface SampleOf {
  readonly query: QueryTemplate;
  readonly series?: string;
  readonly labelMatchers?: string;
  readonly groupBy?: readonly string[];
}

/** The query of a request that could come, for those who check it without one. Undefined: it cannot be rendered. */
export function sampleQuery({
  query,
  series = "sample_series",
  labelMatchers = 'namespace="default",pod=~"web-1|web-2"',
  groupBy = ["pod"],
}: SampleOf): string | undefined {
  try {
    return query.render({
      series,
      labelMatchers,
      labelValuesByName: new Map([
        ["namespace", "default"],
        ["pod", "web-1|web-2"],
        ["node", "node-1|node-2"],
      ]),
      groupBy,
    });
  } catch (error) {
    if (error instanceof TemplateError) return undefined;
    throw error;
  }
}
