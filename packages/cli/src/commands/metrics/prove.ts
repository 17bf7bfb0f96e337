// Tries a recipe on a live Prometheus: series, object, value.
import { parseGoDuration } from "@plimsoll/core/duration";
import { hourMs } from "@plimsoll/core/internal/values";
import { addQuantity, formatQuantity, parseQuantity } from "@plimsoll/core/quantity";
import { cutText } from "@plimsoll/core/redact";
import { labelSelector } from "@plimsoll/core/selector";
import { formatSelector, type Labels, type PrometheusClient } from "@plimsoll/prometheus";
import type { Recipe } from "@plimsoll/recipes";
import {
  type Catalog,
  createBuiltinMapper,
  createSeriesSource,
  listMetrics,
  loadRules,
  type MetricInfo,
  type ServedItem,
  serveMetric,
} from "@plimsoll/rules";
import { silenceMs } from "../../cluster/series-facts.ts";

/** A recipe that has a value for the workload. */
export interface Proof {
  readonly recipe: Recipe;
  /** The rules, with the labels and the range that fit this Prometheus. */
  readonly rules: string;
  readonly metric: string;
  /** Plural with its group; undefined for an external metric. */
  readonly resource: string | undefined;
  /** "*" for pods and external metrics. */
  readonly name: string;
  readonly items: readonly ServedItem[];
  /** Labels that select the items; of external metrics. */
  readonly selector: Readonly<Record<string, string>>;
  /** The sum of the items. */
  readonly total: string;
  /** What was adapted, in sentences. */
  readonly notes: readonly string[];
}

export interface ProveOptions {
  readonly prometheus: PrometheusClient;
  readonly nowMs: number;
  readonly signal: AbortSignal;
  readonly namespace: string;
  /** Names by resource, such as those of Services; pods are those of the workload. */
  readonly names: ReadonlyMap<string, readonly string[]>;
}

type Result = { readonly proof: Proof } | { readonly problem: string } | { readonly isMissing: true };

/** Older series do not count. */
const maxAgeMs = 600_000;

/** @throws PrometheusError */
export async function prove(recipe: Recipe, options: ProveOptions): Promise<Result> {
  const renamed = await renamedLabels(recipe, options);
  const found = await options.prometheus.series([withLabels(recipe.series, renamed)], recent(options));
  const [first] = found;
  if (first === undefined) return { isMissing: true };
  const notes = Object.entries(renamed).map(
    ([from, to]) => `the series have "${to}" instead of "${from}", so the rules were changed`,
  );
  const { rules, note } = await withRange(withLabels(recipe.rules, renamed), recipe, first, options);
  return await evaluate(recipe, rules, note === undefined ? notes : [...notes, note], options);
}

function recent({ nowMs, signal }: ProveOptions) {
  return { startMs: nowMs - maxAgeMs, endMs: nowMs, signal };
}

/** Labels of the recipe that this Prometheus stores under their other name. */
async function renamedLabels(recipe: Recipe, options: ProveOptions): Promise<Recipe["renamed"]> {
  const found: Record<string, string> = {};
  for (const [from, to] of Object.entries(recipe.renamed)) {
    const names = await options.prometheus.labelNames([bareName(recipe.series)], recent(options));
    if (!names.includes(from) && names.includes(to)) found[from] = to;
  }
  return found;
}

/** Without its matchers, which may be of labels that were renamed. */
function bareName(series: string): string {
  return /^[\w:]+(?=\{)/.exec(series)?.[0] ?? series;
}

function withLabels(text: string, renamed: Recipe["renamed"]): string {
  return Object.entries(renamed).reduce((all, [from, to]) => all.replaceAll(from, to), text);
}

/** Four scrapes fit into the range of a rate: fewer leave gaps. */
async function withRange(
  rules: string,
  { window }: Recipe,
  series: Labels,
  options: ProveOptions,
): Promise<{ readonly rules: string; readonly note?: string }> {
  const text = `[${window}]`;
  if (!rules.includes(text)) return { rules };
  const intervalMs = await intervalOf(series, options);
  if (intervalMs * 4 <= (parseGoDuration(window) ?? 0)) return { rules };
  const seconds = Math.round(intervalMs / 1000);
  const note = `Prometheus scrapes these series every ${seconds} s, so the range of the rate is ${seconds * 4}s instead of ${window}`;
  return { rules: rules.replaceAll(text, `[${seconds * 4}s]`), note };
}

/** Between samples of one series, the median; 0 where there are too few. */
async function intervalOf(
  { __name__ = "", ...labels }: Labels,
  { prometheus, nowMs, signal }: ProveOptions,
): Promise<number> {
  const matchers = Object.entries(labels).map(([label, value]) => ({ label, operator: "=" as const, value }));
  const result = await prometheus.query(`${formatSelector(__name__, matchers)}[1h]`, { atMs: nowMs, signal });
  const points = result.type === "matrix" ? (result.series[0]?.points ?? []) : [];
  const gaps = points.slice(1).map(([atMs], at) => atMs - (points[at]?.[0] ?? atMs));
  return gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0;
}

/** Why there are no series: not scraped, another label, or no traffic since. @throws PrometheusError */
export async function whyMissing(recipe: Recipe, options: ProveOptions): Promise<string> {
  const { series } = recipe;
  const silent = await silenceMs(series, options);
  if (silent !== undefined) {
    const hours = Math.round(silent / hourMs);
    const ago = hours >= 48 ? `${Math.round(hours / 24)} days` : `${Math.max(1, hours)} hours`;
    return `${recipe.title}: no sample of ${series} for ${ago}. Check that it runs, has traffic, and is scraped`;
  }
  const bare = bareName(series);
  const all = bare === series ? [] : await options.prometheus.labelNames([bare], recent(options));
  const names = all.filter((name) => name !== "__name__");
  if (names.length > 0)
    return `${recipe.title}: ${bare} exists, but no series matches ${series}. Its labels are ${fewOf(names)}: undo the relabeling, or copy the recipe's rules and change them`;
  return `${recipe.title}: Prometheus has no series ${series}. ${recipe.notes.at(-1) ?? ""}`.trim();
}

const maxListed = 20;

/** Whoever exports series chooses how many labels they have, and how long. */
export function fewOf(texts: readonly string[]): string {
  const shown = texts.slice(0, maxListed).map((text) => cutText(text, 200));
  const more = texts.length - shown.length;
  return more === 0 ? shown.join(", ") : `${shown.join(", ")}, and ${more} more`;
}

async function evaluate(
  recipe: Recipe,
  rules: string,
  notes: readonly string[],
  { prometheus, nowMs, signal, namespace, names }: ProveOptions,
): Promise<Result> {
  const loaded = loadRules(rules, recipe.name);
  if (!loaded.ok)
    return { problem: `${recipe.title}: ${loaded.problems[0]?.message ?? "the rules cannot be read"}` };
  const source = createSeriesSource({ prometheus, nowMs, maxAgeMs, signal });
  const context = { source, mapper: createBuiltinMapper(loaded.rules) };
  const { snapshot, rules: listed } = await listMetrics(loaded.rules, context, signal);
  const requests = requestsOf({ snapshot, rules: listed }, names);
  let why = listed.find(({ problem }) => problem !== undefined)?.problem;
  for (const request of requests) {
    const served = await serveMetric(
      snapshot,
      { ...request, namespace, selector: [] },
      { prometheus, atMs: nowMs, maxAgeMs, signal },
    );
    if (!served.ok) {
      why ??= served.message;
      continue;
    }
    const items = served.items.filter(
      ({ name = "" }) => request.name !== "*" || isOwn(request.resource, name, names),
    );
    const { selector, others, refused } = selectable(items, recipe);
    if (selector === undefined) {
      why ??= refused;
      continue;
    }
    const selected = request.resource === undefined ? items.filter((item) => has(item, selector)) : items;
    const total = selected
      .map(({ value }) => parseQuantity(value))
      .reduce((sum, one) => addQuantity(sum, one));
    return {
      proof: {
        recipe,
        rules,
        ...request,
        items: selected,
        selector,
        total: formatQuantity(total),
        notes: [...notes, ...others],
      },
    };
  }
  const objects = recipe.objects.join(" or ");
  return {
    problem: `${recipe.title}: its series have no value for this workload's ${objects}${why === undefined ? "" : `: ${why}`}`,
  };
}

/** A recipe's first rule is its main one. */
function requestsOf({ snapshot, rules }: Catalog, names: ProveOptions["names"]) {
  const place = ({ groupResource, metric }: MetricInfo): number =>
    rules.findIndex(({ rule }) => rule === snapshot.custom(groupResource, metric)?.rule);
  const infos = snapshot.infos.toSorted((a, b) => place(a) - place(b));
  return [
    ...infos.flatMap(({ groupResource, metric }) =>
      groupResource === "pods"
        ? [{ resource: groupResource, metric, name: "*" }]
        : (names.get(groupResource) ?? []).map((name) => ({ resource: groupResource, metric, name })),
    ),
    ...snapshot.externalNames.map((metric) => ({ resource: undefined, metric, name: "*" })),
  ];
}

interface Selectable {
  readonly selector?: Readonly<Record<string, string>>;
  /** A note, where there are others. */
  readonly others: readonly string[];
  /** Why there is none. */
  readonly refused?: string;
}

/** The first that an autoscaler can select. */
function selectable(items: readonly ServedItem[], recipe: Recipe): Selectable {
  const all = items.map((item) => selectorOf(item, recipe));
  const selector = all.find(isSelectable);
  if (selector === undefined) {
    const [first] = all;
    if (first === undefined) return { others: [] };
    const text = cutText(textOf(first), 200);
    return {
      others: [],
      refused: `an autoscaler cannot select ${text}: such values of labels are not allowed. Copy the recipe's rules, and write it into metricsQuery`,
    };
  }
  const others = [...new Set(all.map(textOf))].filter((text) => text !== textOf(selector));
  if (others.length === 0) return { selector, others };
  return {
    selector,
    others: [`there are others: ${fewOf(others)}. To use one of them, change matchLabels`],
  };
}

function selectorOf({ labels }: ServedItem, recipe: Recipe): Readonly<Record<string, string>> {
  return Object.fromEntries(
    recipe.selector.flatMap((label) => (labels?.[label] === undefined ? [] : [[label, labels[label]]])),
  );
}

function textOf(selector: Readonly<Record<string, string>>): string {
  return Object.entries(selector)
    .map(([label, value]) => `${label}=${value}`)
    .join(",");
}

/** Whether an autoscaler can have it: Kubernetes limits the values of labels, Prometheus does not. */
function isSelectable(matchLabels: Readonly<Record<string, string>>): boolean {
  try {
    labelSelector({ matchLabels });
    return true;
  } catch {
    return false;
  }
}

function isOwn(resource: string | undefined, name: string, names: ProveOptions["names"]): boolean {
  return resource === undefined || (names.get(resource) ?? []).includes(name);
}

function has({ labels }: ServedItem, selector: Readonly<Record<string, string>>): boolean {
  return Object.entries(selector).every(([label, value]) => labels?.[label] === value);
}
