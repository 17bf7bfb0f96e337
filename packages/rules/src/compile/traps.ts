// Warns of what loads, and then serves other values than its author means.
import { labelText, matchedLabels, selectorFacts } from "@plimsoll/prometheus";
import type { Place, RulesDocument } from "../document/document.ts";
import type { CompiledResources } from "./compiled-rules.ts";
import { type SampleOf, sampleQuery, warnIfUnconfined } from "./query.ts";

interface RuleTexts {
  readonly seriesQuery: string;
  readonly metricsQuery: Place;
  readonly query: SampleOf["query"] | undefined;
  readonly resources: CompiledResources;
}

export function warnAboutQuery(
  document: RulesDocument,
  texts: RuleTexts,
  { kind, isConfined }: { readonly kind: "custom" | "external"; readonly isConfined: boolean },
): void {
  warnIfSelectorLost(document, texts);
  if (kind === "external") warnIfGrouped(document, texts);
  if (isConfined) warnIfUnconfined(document, texts.metricsQuery, texts.query);
  else warnAboutUnconfined(document, texts);
}

/** Of every series with the name, the query reads also those that seriesQuery leaves out. */
function warnIfSelectorLost(
  document: RulesDocument,
  { seriesQuery, metricsQuery, query, resources }: RuleTexts,
): void {
  const text = document.text(metricsQuery);
  const { metricName, matchers } = selectorFacts(seriesQuery);
  const readsThem =
    query?.fields.used.has("Series") === true || (metricName !== undefined && hasWord(text, metricName));
  const matched = query && matchedLabels(sampleQuery({ query, labelMatchers: "" }) ?? text);
  if (!readsThem || matched === undefined) return;
  const lost = matchers
    .filter((matcher) => !isExistence(matcher) && !isOfResource(matcher.label, resources))
    .filter(({ label }) => label !== "__name__" && !matched.has(label))
    .flatMap(({ label, operator, value }) =>
      // With an escape it cannot be shown as it is written.
      value === undefined ? [] : [`${labelText(label)}${operator}"${value}"`],
    );
  if (lost.length === 0) return;
  document.warn(
    metricsQuery,
    `seriesQuery has ${lost.join(", ")} and metricsQuery does not, so series that seriesQuery excludes also count: use <<.Series>>{${lost.join(",")},<<.LabelMatchers>>}`,
  );
}

function isExistence({
  operator,
  value,
}: {
  readonly operator: string;
  readonly value: string | undefined;
}): boolean {
  const written = `${operator}${value}`;
  return ["!=", "=~.+", "=~.*", "=~^.+$", "!~^$", "!~"].includes(written);
}

/** Requests have a matcher of their own for these. */
function isOfResource(label: string, { overrides, template }: CompiledResources): boolean {
  if (overrides.some((override) => override.label === label)) return true;
  return ["namespace", "pod"].some((Resource) => template?.render({ Group: "", Resource }) === label);
}

function hasWord(text: string, word: string): boolean {
  const at = text.indexOf(word);
  if (at < 0) return false;
  const isEdge = (character: string | undefined) => character === undefined || !/[\w:]/.test(character);
  return (
    (isEdge(text[at - 1]) && isEdge(text[at + word.length])) || hasWord(text.slice(at + word.length), word)
  );
}

/** Requests for the metrics of a rule that is not confined may have no matcher at all. */
function warnAboutUnconfined(document: RulesDocument, { metricsQuery: place, query }: RuleTexts): void {
  const used = query?.fields.used;
  if (query === undefined || used === undefined) return;
  if (!used.has("LabelMatchers") && !used.has("LabelValuesByName")) {
    if (mayGiveSeveral(sampleQuery({ query }) ?? document.text(place), used.size > 0))
      document.warn(
        place,
        "the query has no <<.LabelMatchers>>, so the selector of an autoscaler's metric has no effect: use <<.Series>>{<<.LabelMatchers>>}",
      );
    return;
  }
  const sample = sampleQuery({ query, labelMatchers: "", groupBy: [] });
  const { promqlProblem } = document.syntax;
  const problem = sample === undefined ? undefined : promqlProblem?.(sample);
  const usual = sampleQuery({ query, groupBy: [] });
  if (problem === undefined || usual === undefined || promqlProblem?.(usual) !== undefined) return;
  document.warn(
    place,
    `without a selector the query is not PromQL: ${problem}; put your own matchers first: {queue="a",<<.LabelMatchers>>}`,
  );
}

/** A query with one result has nothing to select, and one without a field has its own selectors. */
function mayGiveSeveral(promql: string, hasFields: boolean): boolean {
  if (/\b(?:by\s*\(\s*["a-zA-Z_]|without\s*\(|(?:top|bottom)k\s*\()/.test(promql)) return true;
  const isOne = /\b(?:sum|avg|min|max|count|group|quantile|std\w+|scalar|vector|absent\w*)\s*\(/.test(promql);
  return hasFields && !isOne && matchedLabels(promql)?.size === 0;
}

/** External metrics have no objects to group by. */
function warnIfGrouped(
  document: RulesDocument,
  { metricsQuery: place, query }: Pick<RuleTexts, "metricsQuery" | "query">,
): void {
  const { promqlProblem = () => undefined } = document.syntax;
  const isReadable = (groupBy: readonly string[]): boolean => {
    const sample = query && sampleQuery({ query, groupBy });
    return sample !== undefined && promqlProblem(sample) === undefined;
  };
  if (isReadable([]) || !isReadable(["pod"])) return;
  document.warn(
    place,
    "the query is not PromQL, since .GroupBy and .GroupBySlice are empty in externalRules: write the labels, such as by (queue)",
  );
}

/** One series, and a name or filter that leaves it out. */
export function warnIfAllLeftOut(
  document: RulesDocument,
  place: Place,
  { seriesQuery, accepts }: { readonly seriesQuery: string; readonly accepts: (series: string) => boolean },
): void {
  const { metricName } = selectorFacts(seriesQuery);
  if (metricName === undefined || accepts(metricName)) return;
  document.warn(
    place,
    `does not match ${metricName}, which seriesQuery selects: the rule finds nothing; use a pattern that matches it, or leave it out`,
  );
}

/** Only metricsQuery is a template. */
export function warnIfTemplate(document: RulesDocument, as: Place): void {
  const text = document.text(as);
  const [odd] = /[^\p{L}\p{N}_:.${}-]/u.exec(text) ?? [];
  if (/<<|\{\{/.test(text))
    document.warn(
      as,
      "name.as is not a template, so the metric gets exactly this name: use the groups of name.matches, such as $1",
    );
  else if (odd !== undefined)
    document.warn(
      as,
      `the metric's name gets ${JSON.stringify(odd)}, which few clients can request: use letters, digits, "_", and groups of name.matches, such as $1`,
    );
}
