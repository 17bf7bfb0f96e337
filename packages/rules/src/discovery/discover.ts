// Turns the series of a rule into metrics of objects and external metrics.
import type { CompiledRule } from "../compile/compiled-rules.ts";
import type { ClusterResource, ResourceMapper } from "../naming/cluster-resource.ts";
import { createResourceLabels, groupResourceOf, type ResourceLabels } from "../naming/resource-labels.ts";
import type { SeriesSource } from "./series-source.ts";
import { inSlices } from "./slices.ts";

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
  /** What relists before this one found: where Prometheus lists the same as before, that is the result. */
  readonly former?: WeakMap<CompiledRule, Former> | undefined;
}

/** What was found, and from what. */
export interface Former {
  readonly text: string;
  readonly lists: readonly (readonly string[])[];
  readonly found: Discovered<CustomEntry | ExternalEntry>;
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
  const lists = candidates.map(([label]) => namesWith.get(label) ?? []);
  const text = JSON.stringify([candidates, namespaceLabel, [...warnings]]);
  const former = sameAsFormer<CustomEntry>(context, rule, { text, lists });
  if (former !== undefined) return former;
  for (const [label, info] of candidates) {
    const resource = groupResourceOf(info);
    // Only the rule decides by which label it queries: series carry what their owners like.
    const resourceLabel = (await labels.labelFor(info)) ?? label;
    // Without the other label's name: there is no end of names.
    if (label !== resourceLabel)
      warnings.add(`another label maps to ${resource}: only ${resourceLabel} is used in queries`);
    const named = await namedSeries(rule, namesWith.get(label) ?? [], warnings);
    await inSlices(named, ({ series, metric }) => {
      const entry = { metric, series, rule, info, resourceLabel, namespaceLabel };
      entries.set(`${resource} ${series}`, entry);
    });
  }
  return await settled(rule, context, { text, lists, warnings, entries: [...entries.values()] });
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
  const [text, lists] = [JSON.stringify([namespaceLabel]), [names]];
  const former = sameAsFormer<ExternalEntry>(context, rule, { text, lists });
  if (former !== undefined) return former;
  const entries: ExternalEntry[] = [];
  await inSlices(await namedSeries(rule, names, warnings), ({ series, metric }) =>
    entries.push({ series, metric, rule, namespaceLabel }),
  );
  return await settled(rule, context, { text, lists, warnings, entries });
}

function sameAsFormer<E extends CustomEntry | ExternalEntry>(
  { former }: DiscoverContext,
  rule: CompiledRule,
  { text, lists }: Omit<Former, "found">,
): Discovered<E> | undefined {
  const last = former?.get(rule);
  const isSame = last?.text === text && lists.every((list, index) => isEqual(list, last.lists[index]));
  return isSame ? (last.found as Discovered<E>) : undefined;
}

function isEqual(a: readonly string[], b: readonly string[] | undefined): boolean {
  return a.length === b?.length && a.every((one, index) => one === b[index]);
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

async function namedSeries(
  rule: CompiledRule,
  names: readonly string[],
  warnings: Set<string>,
): Promise<readonly NamedSeries[]> {
  const named: NamedSeries[] = [];
  await inSlices(names.toSorted(), (series) => {
    if (!rule.accepts(series)) return;
    // A rule may put the name between quotes, and the name must not close them.
    if (/["'`\\\p{Cc}]/u.test(series)) {
      warnings.add("a series with a quote, a backslash or a control character in its name is left out");
      return;
    }
    const metric = rule.metricName(series);
    if (metric === undefined) return;
    if (metric === "") warnings.add("name.as results in an empty metric name");
    else named.push({ series, metric });
  });
  return named;
}

/** Which of several series of one name still lives is looked up at each relist. */
async function settled<E extends CustomEntry | ExternalEntry>(
  rule: CompiledRule,
  context: DiscoverContext,
  {
    text,
    lists,
    warnings,
    entries,
  }: Omit<Former, "found"> & { readonly warnings: ReadonlySet<string>; readonly entries: readonly E[] },
): Promise<Discovered<E>> {
  const contested = await contestedNames(entries);
  if (contested.length > 0)
    return { entries: await settle(entries, contested, context), warnings: [...warnings] };
  const found = { entries, warnings: [...warnings] };
  context.former?.set(rule, { text, lists, found });
  return found;
}

async function contestedNames<E extends NamedSeries & { readonly info?: ClusterResource }>(
  entries: readonly E[],
): Promise<readonly (readonly E[])[]> {
  const first = new Map<string, E>();
  const sameName = new Map<string, E[]>();
  await inSlices(entries, (entry) => {
    const name = `${entry.info === undefined ? "" : groupResourceOf(entry.info)} ${entry.metric}`;
    const other = first.get(name);
    if (other === undefined) first.set(name, entry);
    else if (sameName.get(name)?.push(entry) === undefined) sameName.set(name, [other, entry]);
  });
  return [...sameName.values()];
}

/**
 * Label endpoints may name series that ended some time ago. That only matters where two series want the same
 * metric name, after a renaming for instance: then the one that still lives gets it.
 */
async function settle<E extends NamedSeries>(
  entries: readonly E[],
  contested: readonly (readonly E[])[],
  context: DiscoverContext,
): Promise<readonly E[]> {
  const alive = await context.source.alive([...new Set(contested.flat().map((entry) => entry.series))]);
  const dead = contested.flatMap((group) => {
    const ended = group.filter((entry) => !alive.has(entry.series));
    return ended.length === group.length ? [] : ended;
  });
  const isDead = new Set(dead);
  return entries.filter((entry) => !isDead.has(entry));
}
