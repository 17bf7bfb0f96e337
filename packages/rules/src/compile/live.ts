// Reads the `live` block of a rule, whose values come from pods that are scraped for it.
import { readLive } from "@plimsoll/core/queries";
import { cut, type QueryTemplate, selectorFacts } from "@plimsoll/prometheus";
import type { Place, RulesDocument } from "../document/document.ts";
import { isNamespaceName } from "../query/object-names.ts";
import type { RuleLive } from "./compiled-rules.ts";
import { sampleQuery } from "./query.ts";

export interface LiveFields {
  readonly live: Place;
  readonly seriesQuery: Place;
  readonly metricsQuery: Place;
  readonly source: Place;
}

/** Undefined: a Prometheus is queried. With problems, it must not be used. */
export function readRuleLive(
  document: RulesDocument,
  { live: place, source, ...texts }: LiveFields,
  query: QueryTemplate | undefined,
  hasTemplate: boolean,
): RuleLive | undefined {
  if (document.isAbsent(place)) return undefined;
  if (!document.isAbsent(source)) document.problem(source, "has no meaning with live: remove it");
  const ofRule = document.fields(place, [
    "namespace",
    "podSelector",
    "port",
    "path",
    "scheme",
    "interval",
    "tokenFile",
    "insecureSkipVerify",
  ]);
  const { namespace: ofPods, tokenFile: ofToken, insecureSkipVerify: ofTls, ...fields } = ofRule;
  const values = Object.entries(fields).map(([name, at]) => [name, document.value(at)]);
  const { source: read, problems } = readLive("", Object.fromEntries(values));
  for (const { path, value, message } of problems) {
    const at = Object.values(fields).find((one) => one.path === place.path + path) ?? place;
    document.problem(at, value === undefined ? message : `${JSON.stringify(value)} ${message}`);
  }
  const namespace = document.text(ofPods);
  if (!isNamespaceName(namespace))
    document.problem(ofPods, `${JSON.stringify(namespace)} is not a namespace: use that of the pods`);
  if (document.isAbsent(fields.podSelector))
    document.problem(fields.podSelector, "is missing: select the pods by their labels");
  const tokenFile = document.text(ofToken) || undefined;
  if (tokenFile !== undefined && read.scheme !== "https")
    document.problem(ofToken, "would be sent in the clear: set scheme: https");
  const live = { ...read, namespace, tokenFile, insecureSkipVerify: document.flag(ofTls) };
  if (document.syntax.liveProblem === "off")
    document.problem(
      place,
      "pods are not scraped: start the adapter with --live-metrics, or remove the field",
    );
  else if (problems.length === 0) checkQuery(document, live, { ...texts, hasTemplate }, query);
  return live;
}

/** With sample values in its template. */
function checkQuery(
  { syntax, text, problem }: RulesDocument,
  live: RuleLive,
  {
    seriesQuery,
    metricsQuery,
    hasTemplate,
  }: Pick<LiveFields, "seriesQuery" | "metricsQuery"> & {
    readonly hasTemplate: boolean;
  },
  query: QueryTemplate | undefined,
): void {
  const { metricName: series, labels } = selectorFacts(text(seriesQuery));
  if (series === undefined) {
    const shown = JSON.stringify(cut(text(seriesQuery)));
    return problem(
      seriesQuery,
      `${shown} names no single metric, which live needs: begin it with the name, such as http_requests_total{ingress!=""}`,
    );
  }
  if (hasTemplate && labels.size === 0)
    return problem(
      seriesQuery,
      `${JSON.stringify(cut(text(seriesQuery)))} demands no label that resources.template could find: add them, such as ${series}{namespace!="",ingress!=""}`,
    );
  if (query === undefined || typeof syntax.liveProblem !== "function") return;
  if (query.fields.used.has("LabelValuesByName"))
    return problem(
      metricsQuery,
      ".LabelValuesByName cannot be used with live: use <<.Series>>{<<.LabelMatchers>>}",
    );
  const sample = sampleQuery({ query, series }) ?? "";
  const found = syntax.liveProblem(sample, live);
  const shown = cut(sample.trim().replaceAll(/\s+/g, " "));
  if (found !== undefined) problem(metricsQuery, `${found}; with sample values the query is ${shown}`);
}
