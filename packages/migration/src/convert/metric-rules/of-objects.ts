// MetricRules in place of rules of the file, for the queries of converted objects.
import { fieldsOf } from "@plimsoll/core/internal/values";
import type { Document } from "yaml";
import type { ConvertProblem } from "../../manifests/problem.ts";
import type { SourceObject } from "../../manifests/source.ts";
import type { NeededRule } from "../needed-rule.ts";
import { type MetricRuleSettings, metricRule } from "./metric-rule.ts";

/** A query, and the object that it comes from. */
export interface NeededBy {
  readonly rule: NeededRule;
  readonly source: SourceObject;
}

/** Each in the namespace of its object, under the name of the metric that the object reads. */
export function metricRulesOf(
  needed: readonly NeededBy[],
  settings: MetricRuleSettings,
  sourceOf: (rule: NeededRule) => string | undefined,
): { readonly documents: readonly Document[]; readonly problems: readonly ConvertProblem[] } {
  const documents: Document[] = [];
  const problems: ConvertProblem[] = [];
  for (const { rule, source } of needed) {
    const { namespace: own } = fieldsOf(source.value["metadata"]);
    const namespace = typeof own === "string" && own !== "" ? own : settings.namespace;
    const { metric, promql: query } = rule;
    const written = metricRule(
      { namespace, type: "External", metric, query, source: sourceOf(rule) },
      settings,
    );
    if (written.ok) {
      documents.push(written.document);
      continue;
    }
    problems.push(
      source.locate({
        path: "spec",
        value: query.slice(0, 200),
        message: `is a query that MetricRules can't have: ${written.message}`,
        remedy: `add the matcher ${settings.namespaceLabel}="${namespace ?? "…"}" if the series are its own, or omit --to metric-rules: rules in the administrator's file have no such limit`,
      }),
    );
  }
  return { documents, problems };
}
