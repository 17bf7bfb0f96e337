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

const matcher = /(\w+)\s*(=~?|!=|!~)\s*(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`)/g;

/** Recipes whose source exports a metric that a selector or a query names. */
export function recipesOf(promql: string): readonly Recipe[] {
  // The values of labels may have such words, too.
  const named = promql.replaceAll(matcher, (all, label: string, operator: string) =>
    label === "__name__" && operator.startsWith("=") ? all : "",
  );
  const words = [...new Set(named.match(/[a-zA-Z_:][\w:]*/g))];
  return known.filter(({ names }) => words.some((word) => names.test(word))).map(({ recipe }) => recipe);
}

/** Recipes of the controller that an IngressClass or a GatewayClass names. */
export function recipesServedBy(controller: string): readonly Recipe[] {
  return recipes.filter(({ ingressControllers, gatewayControllers }) =>
    [...ingressControllers, ...gatewayControllers].includes(controller),
  );
}

/** Each with what to do. */
export function mistakesOf(rule: KnownRule): readonly string[] {
  const all = recipesOf(rule.seriesQuery);
  // Of series that several sources may have, only what is wrong with all of them.
  const ofAll = (check: (recipe: Recipe, rule: KnownRule) => string | undefined): readonly string[] => {
    const found = all.map((recipe) => check(recipe, rule));
    return found.includes(undefined) ? [] : found.slice(0, 1).flatMap((one) => one ?? []);
  };
  return [...ofAll(retired), ...ofAll(wrongNamespace), ...ofAll(shortRange)];
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

function wrongNamespace(recipe: Recipe, rule: KnownRule): string | undefined {
  const { kind, name, title, renamed } = recipe;
  const label = namespaceLabelOf(recipe);
  // A sidecar that serves counts in the namespace of its object.
  const isSidecar = /\breporter\s*=~?\s*["'`]destination/.test(rule.seriesQuery + rule.metricsQuery);
  const isOwn = kind !== "gateway" || rule.hasPods || isSidecar;
  const isTaken = rule.namespaceLabel === "namespace" && rule.metricsQuery.includes(".LabelMatchers");
  if (isOwn || !isTaken || label === undefined || label === "namespace") return undefined;
  const what = `the label namespace is where ${title} runs, not where the object is`;
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
