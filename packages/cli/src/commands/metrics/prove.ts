// Tries a recipe on a live Prometheus: series, object, value.
import { parseGoDuration } from "@plimsoll/core/duration";
import { addQuantity, formatQuantity, parseQuantity } from "@plimsoll/core/quantity";
import { formatSelector, type Labels, type PrometheusClient } from "@plimsoll/prometheus";
import type { Recipe } from "@plimsoll/recipes";
import {
  createBuiltinMapper,
  createSeriesSource,
  listMetrics,
  loadRules,
  type ServedItem,
  serveMetric,
} from "@plimsoll/rules";

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
/** How far back a series is looked for that has no samples. */
const lookBack = "14d";

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
    const names = await options.prometheus.labelNames([recipe.series], recent(options));
    if (!names.includes(from) && names.includes(to)) found[from] = to;
  }
  return found;
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

async function numberOf(
  promql: string,
  { prometheus, nowMs, signal }: ProveOptions,
): Promise<number | undefined> {
  const result = await prometheus.query(promql, { atMs: nowMs, signal });
  const value = result.type === "vector" ? result.samples[0]?.value : undefined;
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}

/** Why there are no series: not scraped, another label, or no traffic since. @throws PrometheusError */
export async function whyMissing(recipe: Recipe, options: ProveOptions): Promise<string> {
  const { series } = recipe;
  const lastAt = await numberOf(`max(max_over_time(timestamp(${series})[${lookBack}:5m]))`, options);
  if (lastAt !== undefined) {
    const hours = Math.round((options.nowMs / 1000 - lastAt) / 3600);
    const ago = hours >= 48 ? `${Math.round(hours / 24)} days` : `${Math.max(1, hours)} hours`;
    return `${recipe.title}: no sample of ${series} for ${ago}. Check that it runs, has traffic, and is scraped`;
  }
  const [bare = ""] = /^[\w:]+(?=\{)/.exec(series) ?? [];
  const names = bare === "" ? [] : await options.prometheus.labelNames([bare], recent(options));
  if (names.length > 1)
    return `${recipe.title}: ${bare} exists, but no series matches ${series}. Its labels are ${names.filter((name) => name !== "__name__").join(", ")}: undo the relabeling, or copy the recipe's rules and change them`;
  return `${recipe.title}: Prometheus has no series ${series}. ${recipe.notes.at(-1) ?? ""}`.trim();
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
  const requests = [
    ...snapshot.infos.flatMap(({ groupResource, metric }) =>
      groupResource === "pods"
        ? [{ resource: groupResource, metric, name: "*" }]
        : (names.get(groupResource) ?? []).map((name) => ({ resource: groupResource, metric, name })),
    ),
    ...snapshot.externalNames.map((metric) => ({ resource: undefined, metric, name: "*" })),
  ];
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
    const [first] = items;
    if (first === undefined) continue;
    const selector = Object.fromEntries(
      recipe.selector.flatMap((label) =>
        first.labels?.[label] === undefined ? [] : [[label, first.labels[label]]],
      ),
    );
    const selected = request.resource === undefined ? items.filter((item) => has(item, selector)) : items;
    const total = selected
      .map(({ value }) => parseQuantity(value))
      .reduce((sum, one) => addQuantity(sum, one));
    return {
      proof: { recipe, rules, ...request, items: selected, selector, total: formatQuantity(total), notes },
    };
  }
  const objects = recipe.objects.join(" or ");
  return {
    problem: `${recipe.title}: its series have no value for this workload's ${objects}${why === undefined ? "" : `: ${why}`}`,
  };
}

function isOwn(resource: string | undefined, name: string, names: ProveOptions["names"]): boolean {
  return resource === undefined || (names.get(resource) ?? []).includes(name);
}

function has({ labels }: ServedItem, selector: Readonly<Record<string, string>>): boolean {
  return Object.entries(selector).every(([label, value]) => labels?.[label] === value);
}
