import type { ResourceInfo } from "@plimsoll/kube";
import { isMetricName } from "@plimsoll/prometheus";
import type { CompiledRule } from "../config/rules.ts";
import { groupBy } from "../group-by.ts";
import {
  createResourceLabels,
  groupResourceOf,
  type ResourceLabels,
  type ResourceMapper,
} from "../naming/resource-labels.ts";
import type { SeriesSource } from "./series-source.ts";
import type { CustomEntry, ExternalEntry } from "./snapshot.ts";

export interface DiscoverContext {
  readonly source: SeriesSource;
  readonly mapper: ResourceMapper;
}

export interface Discovered<E> {
  readonly entries: readonly E[];
  /** What an operator should hear about the rule, in words that stay the same from one relist to the next. */
  readonly remarks: readonly string[];
}

/** The metrics of objects that a rule gives. Rejects when Prometheus or the cluster cannot be asked. */
export async function discoverCustom(
  rule: CompiledRule,
  context: DiscoverContext,
): Promise<Discovered<CustomEntry>> {
  if (rule.seriesQuery === undefined) return { entries: [], remarks: [] };
  const labels = createResourceLabels(rule.resources, context.mapper);
  const remarks = new Set<string>();
  for (const resource of await labels.unknownOverrides())
    remarks.add(`the cluster has no resource ${resource}`);
  const namespaceLabel = await labelForNamespaces(labels, context.mapper);
  const entries = new Map<string, CustomEntry>();
  const candidates = await resourceLabels(rule, labels, context);
  const namesWith = await context.source.namesWith(
    rule.seriesQuery,
    candidates.map(([label]) => label),
  );
  for (const [label, info] of candidates) {
    for (const { series, metric } of namedSeries(rule, namesWith.get(label) ?? [], remarks)) {
      const key = JSON.stringify([groupResourceOf(info), series]);
      // The first label that stands for a resource is the one to ask by.
      if (!entries.has(key))
        entries.set(key, { metric, series, rule, info, resourceLabel: label, namespaceLabel });
    }
  }
  return { entries: await settle([...entries.values()], context), remarks: [...remarks] };
}

/** The external metrics that a rule gives. */
export async function discoverExternal(
  rule: CompiledRule,
  context: DiscoverContext,
): Promise<Discovered<ExternalEntry>> {
  if (rule.seriesQuery === undefined) return { entries: [], remarks: [] };
  const remarks = new Set<string>();
  const labels = createResourceLabels(rule.resources, context.mapper);
  const namespaceLabel = rule.namespaced ? await labelForNamespaces(labels, context.mapper) : undefined;
  const names = await context.source.names(rule.seriesQuery);
  const entries = namedSeries(rule, names, remarks).map((named) => ({ ...named, rule, namespaceLabel }));
  return { entries: await settle(entries, context), remarks: [...remarks] };
}

/** The labels of the rule's series that stand for resources: overrides in file order, then the template's. */
async function resourceLabels(
  rule: CompiledRule,
  labels: ResourceLabels,
  context: DiscoverContext,
): Promise<readonly (readonly [label: string, info: ResourceInfo])[]> {
  const candidates = rule.resources.overrides.map((override) => override.label);
  if (rule.resources.template !== undefined && rule.seriesQuery !== undefined) {
    const seen = await context.source.labels(rule.seriesQuery);
    candidates.push(...seen.filter((label) => !candidates.includes(label)).sort());
  }
  const found: (readonly [string, ResourceInfo])[] = [];
  for (const label of candidates) {
    const info = await labels.resourceFor(label);
    if (info !== undefined) found.push([label, info]);
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
  remarks: Set<string>,
): readonly NamedSeries[] {
  const named: NamedSeries[] = [];
  for (const series of names.toSorted()) {
    if (!rule.accepts(series)) continue;
    // The name goes into the query as it is, so it must be one that PromQL reads as a name and nothing else.
    if (!isMetricName(series)) {
      remarks.add("a series whose name PromQL cannot take unquoted is left out");
      continue;
    }
    const metric = rule.metricName(series);
    if (metric === undefined) continue;
    if (metric === "") remarks.add("name.as gives an empty metric name, which cannot be served");
    else named.push({ series, metric });
  }
  return named;
}

/**
 * Label endpoints may name series that ended some time ago. That only matters where two series want the same
 * metric name, after a renaming for instance: then the one that still lives gets it.
 */
async function settle<E extends NamedSeries & { readonly info?: ResourceInfo }>(
  entries: readonly E[],
  context: DiscoverContext,
): Promise<readonly E[]> {
  const rivals = groupBy(entries, ({ info, metric }) =>
    JSON.stringify([info === undefined ? "" : groupResourceOf(info), metric]),
  );
  const contested = [...rivals.values()].filter((group) => group.length > 1);
  if (contested.length === 0) return entries;
  const alive = await context.source.alive([...new Set(contested.flat().map((entry) => entry.series))]);
  const dead = contested.flatMap((group) => {
    const ended = group.filter((entry) => !alive.has(entry.series));
    return ended.length === group.length ? [] : ended;
  });
  return entries.filter((entry) => !dead.includes(entry));
}
