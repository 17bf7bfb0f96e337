// Turns the series of a rule into metrics of objects and external metrics.
import { isMetricName } from "@plimsoll/prometheus";
import type { CompiledRule } from "../compile/compiled-rules.ts";
import type { ClusterResource, ResourceMapper } from "../naming/cluster-resource.ts";
import { createResourceLabels, groupResourceOf, type ResourceLabels } from "../naming/resource-labels.ts";
import type { SeriesSource } from "./series-source.ts";

/** A metric of objects, and where its values come from. */
export interface CustomEntry {
  readonly metric: string;
  readonly series: string;
  readonly rule: CompiledRule;
  readonly info: ClusterResource;
  /** The label of the series that holds an object's name. */
  readonly resourceLabel: string;
  /** The label that holds the namespace; undefined when the rule has none. */
  readonly namespaceLabel: string | undefined;
}

/** An external metric, and where its values come from. */
export interface ExternalEntry {
  readonly metric: string;
  readonly series: string;
  readonly rule: CompiledRule;
  readonly namespaceLabel: string | undefined;
}

/** What discovery reads from: series of a Prometheus, resources of a cluster. */
export interface DiscoverContext {
  readonly source: SeriesSource;
  readonly mapper: ResourceMapper;
}

/** What discovery found of one rule. */
export interface Discovered<E> {
  readonly entries: readonly E[];
  /** What an operator should know about the rule, in words that stay the same from one relist to the next. */
  readonly warnings: readonly string[];
}

/** The metrics of objects that a rule gives. Rejects when Prometheus or the cluster cannot be read. */
export async function discoverCustom(
  rule: CompiledRule,
  context: DiscoverContext,
): Promise<Discovered<CustomEntry>> {
  if (rule.seriesQuery === undefined) return { entries: [], warnings: [] };
  const labels = createResourceLabels(rule.resources, context.mapper);
  const warnings = new Set<string>();
  for (const resource of await labels.unknownOverrides())
    warnings.add(`the cluster has no resource ${resource}`);
  const namespaceLabel = await labelForNamespaces(labels, context.mapper);
  const entries = new Map<string, CustomEntry>();
  const candidates = await resourceLabels(rule, labels, context);
  const namesWith = await context.source.namesWith(
    rule.seriesQuery,
    candidates.map(([label]) => label),
  );
  for (const [label, info] of candidates) {
    const resource = groupResourceOf(info);
    // Only the rule decides by which label it queries: series carry what their owners like.
    const resourceLabel = (await labels.labelFor(info)) ?? label;
    // Without the other label's name: there is no end of names.
    if (label !== resourceLabel)
      warnings.add(`another label reads as ${resource}: they are queried by ${resourceLabel} alone`);
    for (const { series, metric } of namedSeries(rule, namesWith.get(label) ?? [], warnings)) {
      const entry = { metric, series, rule, info, resourceLabel, namespaceLabel };
      entries.set(JSON.stringify([resource, series]), entry);
    }
  }
  return { entries: await settle([...entries.values()], context), warnings: [...warnings] };
}

/** The external metrics that a rule gives. */
export async function discoverExternal(
  rule: CompiledRule,
  context: DiscoverContext,
): Promise<Discovered<ExternalEntry>> {
  if (rule.seriesQuery === undefined) return { entries: [], warnings: [] };
  const warnings = new Set<string>();
  const labels = createResourceLabels(rule.resources, context.mapper);
  const namespaceLabel = rule.namespaced ? await labelForNamespaces(labels, context.mapper) : undefined;
  const names = await context.source.names(rule.seriesQuery);
  const entries = namedSeries(rule, names, warnings).map((named) => ({ ...named, rule, namespaceLabel }));
  return { entries: await settle(entries, context), warnings: [...warnings] };
}

/**
 * Each is a request, and a label reads as a resource in any case of its letters. Series that have only such labels give
 * no values.
 */
const MAX_OTHER_LABELS = 4;

/** The labels of the rule's series that name resources: overrides in file order, then the template's. */
async function resourceLabels(
  rule: CompiledRule,
  labels: ResourceLabels,
  context: DiscoverContext,
): Promise<readonly (readonly [label: string, info: ClusterResource])[]> {
  const candidates = rule.resources.overrides.map((override) => override.label);
  if (rule.resources.template !== undefined && rule.seriesQuery !== undefined) {
    const seen = await context.source.labels(rule.seriesQuery);
    candidates.push(...seen.filter((label) => !candidates.includes(label)).sort());
  }
  const found: (readonly [string, ClusterResource])[] = [];
  const others = new Map<string, number>();
  for (const [at, label] of candidates.entries()) {
    const info = await labels.resourceFor(label);
    if (info === undefined) continue;
    const isOwn = at < rule.resources.overrides.length || label === (await labels.labelFor(info));
    const resource = groupResourceOf(info);
    const count = (others.get(resource) ?? 0) + (isOwn ? 0 : 1);
    others.set(resource, count);
    if (isOwn || count <= MAX_OTHER_LABELS) found.push([label, info]);
  }
  return found;
}

async function labelForNamespaces(
  labels: ResourceLabels,
  mapper: ResourceMapper,
): Promise<string | undefined> {
  const namespaces = await mapper.byResource("namespaces");
  return namespaces === undefined ? undefined : await labels.labelFor(namespaces);
}

interface NamedSeries {
  readonly series: string;
  readonly metric: string;
}

function namedSeries(
  rule: CompiledRule,
  names: readonly string[],
  warnings: Set<string>,
): readonly NamedSeries[] {
  const named: NamedSeries[] = [];
  for (const series of names.toSorted()) {
    if (!rule.accepts(series)) continue;
    // The name goes into the query as it is, so it must be one that PromQL reads as a name and nothing else.
    if (!isMetricName(series)) {
      warnings.add("a series whose name PromQL cannot take unquoted is left out");
      continue;
    }
    const metric = rule.metricName(series);
    if (metric === undefined) continue;
    if (metric === "") warnings.add("name.as gives an empty metric name, which cannot be served");
    else named.push({ series, metric });
  }
  return named;
}

/**
 * Label endpoints may name series that ended some time ago. That only matters where two series want the same
 * metric name, after a renaming for instance: then the one that still lives gets it.
 */
async function settle<E extends NamedSeries & { readonly info?: ClusterResource }>(
  entries: readonly E[],
  context: DiscoverContext,
): Promise<readonly E[]> {
  const sameName = Map.groupBy(entries, ({ info, metric }) =>
    JSON.stringify([info === undefined ? "" : groupResourceOf(info), metric]),
  );
  const contested = [...sameName.values()].filter((group) => group.length > 1);
  if (contested.length === 0) return entries;
  const alive = await context.source.alive([...new Set(contested.flat().map((entry) => entry.series))]);
  const dead = contested.flatMap((group) => {
    const ended = group.filter((entry) => !alive.has(entry.series));
    return ended.length === group.length ? [] : ended;
  });
  return entries.filter((entry) => !dead.includes(entry));
}
