// What the book knows of rules that others wrote, and of classes: whose series they are, and known mistakes.
import { type Recipe, recipes } from "./book.ts";

/** A rule of the adapter, and what Prometheus says of its series. */
export interface KnownRule {
  readonly seriesQuery: string;
  /** With its template. */
  readonly metricsQuery: string;
  /** The label that the rule maps to namespaces. */
  readonly namespaceLabel: string | undefined;
  /** It maps a label to pods: those that are scraped, such as the gateway's own. */
  readonly hasPods: boolean;
  /** Ranges of the query. */
  readonly rangesMs: readonly number[];
  /** Labels of the series; undefined where no Prometheus was asked. */
  readonly labels?: readonly string[] | undefined;
  /** Undefined: not measured. */
  readonly scrapeIntervalMs?: number | undefined;
}

const known = recipes
  .filter(({ names }) => names !== "")
  .map((recipe) => ({ recipe, names: new RegExp(`^(?:${recipe.names})$`) }));

const matcher = /(\w+|"(?:\\.|[^"\\])*")\s*(=~?|!=|!~)\s*(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`)/g;

/** Recipes whose source exports a metric that a selector or a query names. */
export function recipesOf(promql: string): readonly Recipe[] {
  // The values of labels may have such words, too.
  const named = promql.replaceAll(matcher, (all, label: string, operator: string) =>
    label === "__name__" && operator.startsWith("=") ? all : "",
  );
  // A name in UTF-8 has dots, which a pattern may write as "[.]" or "\\.".
  const plain = named.replaceAll(/\[\.\]|\\+\./g, ".");
  const words = [plain.match(/[a-zA-Z_:][\w:]*/g), plain.match(/[a-zA-Z_:][\w:.]*/g)].flatMap(
    (found) => found ?? [],
  );
  return known.filter(({ names }) => words.some((word) => names.test(word))).map(({ recipe }) => recipe);
}

/** Recipes of the controller that an IngressClass or a GatewayClass names. */
export function recipesServedBy(controller: string): readonly Recipe[] {
  return recipes.filter(({ ingressControllers, gatewayControllers }) =>
    [...ingressControllers, ...gatewayControllers].some((one) => new RegExp(`^(?:${one})$`).test(controller)),
  );
}

/** Each with what to do. */
export function mistakesOf(rule: KnownRule): readonly string[] {
  const all = recipesOf(rule.seriesQuery);
  return [retired, wrongNamespace, shortRange].flatMap(
    (check) => ofAll(all, (recipe) => check(recipe, rule)) ?? [],
  );
}

/**
 * What the book says of a query that is confined to a namespace, as a MetricRule is: mistakes; and why it may find no
 * series, which only its result can prove.
 */
export function knownOfConfined(
  { query, namespace }: { readonly query: string; readonly namespace: string },
  hasPods: boolean,
): { readonly mistakes: readonly string[]; readonly whyEmpty: string | undefined } {
  const all = recipesOf(query);
  const isTaken = new RegExp(`\\bnamespace="${namespace}"`).test(query);
  const rule = { seriesQuery: query, metricsQuery: query, hasPods, isTaken };
  const whyEmpty = ofAll(all, (recipe) => {
    const label = otherNamespaceLabel(recipe, rule);
    if (label === undefined) return undefined;
    const or = recipe.renamed[label] === "namespace" ? ", or the scrape has honorLabels: true" : "";
    return `${whereItRuns(recipe)}: the query finds series only if that is ${namespace}${or}; a rule of the adapter's rules file can map another label`;
  });
  return { mistakes: [ofAll(all, retired)].flatMap((end) => end ?? []), whyEmpty };
}

/** Of series that several sources may have, only what is wrong with all of them. */
function ofAll(all: readonly Recipe[], check: (recipe: Recipe) => string | undefined): string | undefined {
  const found = all.map(check);
  return found.includes(undefined) ? undefined : found[0];
}

function retired({ title, retired: end }: Recipe): string | undefined {
  if (end === undefined) return undefined;
  return `the series are from ${title}, retired since ${end.since}: move to ${end.instead}, then run plimsoll metrics setup`;
}

/** The label of the object's namespace; "joined": the series have it only as a part of another label. */
function namespaceLabelOf({ rules }: Recipe): string | undefined {
  const [, label] = /([\w.]+): \{ resource: namespace \}/.exec(rules) ?? [];
  return label === "namespace" && !rules.includes(".LabelMatchers") ? "joined" : label;
}

/** The label of the object's namespace, where a rule takes the namespace that the source itself runs in. */
function otherNamespaceLabel(
  recipe: Recipe,
  {
    seriesQuery,
    metricsQuery,
    hasPods,
    isTaken,
  }: Pick<KnownRule, "seriesQuery" | "metricsQuery" | "hasPods"> & { readonly isTaken: boolean },
): string | undefined {
  const label = namespaceLabelOf(recipe);
  // A sidecar that serves counts in the namespace of its object.
  const isSidecar = /\breporter\s*=~?\s*["'`]destination/.test(seriesQuery + metricsQuery);
  const isOwn = recipe.kind !== "gateway" || hasPods || isSidecar;
  return isOwn || !isTaken || label === "namespace" ? undefined : label;
}

function whereItRuns({ title }: Recipe): string {
  return `the label namespace is where ${title} runs, not where the object is`;
}

function wrongNamespace(recipe: Recipe, rule: KnownRule): string | undefined {
  const { name, renamed } = recipe;
  const isTaken = rule.namespaceLabel === "namespace" && rule.metricsQuery.includes(".LabelMatchers");
  const label = otherNamespaceLabel(recipe, { ...rule, isTaken });
  if (label === undefined) return undefined;
  const what = whereItRuns(recipe);
  if (label === "joined")
    return `${what}, which another label has a part of: use the rules that plimsoll metrics setup --recipe ${name} prints`;
  // Where Prometheus honors the source's labels, they have other names.
  if (rule.labels !== undefined && !rule.labels.includes(label)) return undefined;
  const unless =
    rule.labels === undefined && renamed[label] === "namespace"
      ? ", unless the scrape has honorLabels: true, which --against finds out"
      : "";
  return `${what}: map ${label} to namespaces in resources.overrides${unless}`;
}

function shortRange({ window }: Recipe, { rangesMs, scrapeIntervalMs }: KnownRule): string | undefined {
  if (scrapeIntervalMs === undefined) return undefined;
  const short = rangesMs.find((rangeMs) => rangeMs < scrapeIntervalMs * 2);
  if (short === undefined) return undefined;
  const seconds = Math.ceil(scrapeIntervalMs / 1000);
  // The range of the recipe has four scrapes of 30 s.
  const good = seconds <= 30 ? window : `${seconds * 4}s`;
  return `the range [${short / 1000}s] is shorter than two scrapes of the series, which are scraped every ${seconds} s: use [${good}]`;
}
