import { compileQueryTemplate, type QueryTemplate, TemplateError } from "@plimsoll/prometheus";
import type { Place, RulesDocument } from "../document/document.ts";
import { sampleQuery } from "./sample-query.ts";

/** Reads a query template. One that is empty, or that reads a field that there is not, cannot be rendered. */
export function readQuery(document: RulesDocument, place: Place, owner: Place): QueryTemplate | undefined {
  const text = document.text(place);
  if (text.trim() === "") {
    const where = document.isAbsent(place) ? { path: place.path, node: owner.node } : place;
    document.warn(where, "there is no query: its metrics are listed and every request for them fails");
    return undefined;
  }
  try {
    const query = compileQueryTemplate(text);
    for (const error of query.fields.unknown) {
      document.warn(place, `${error.reason}; every request that comes to it fails`, error);
    }
    const sample = document.syntax === undefined ? undefined : sampleQuery(query);
    const problem = sample === undefined ? undefined : document.syntax?.promqlProblem(sample);
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
    "the query uses neither .LabelMatchers nor .LabelValuesByName: every namespace is given the same series",
  );
}
