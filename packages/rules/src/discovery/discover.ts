// Turns the series of a rule into metrics of objects and external metrics.
import type { CompiledRule } from "../compile/compiled-rules.ts";
import type { ClusterResource, ResourceMapper } from "../naming/cluster-resource.ts";
import { createResourceLabels, groupResourceOf, type ResourceLabels } from "../naming/resource-labels.ts";
import type { SeriesSource } from "./series-source.ts";
import { inSlices } from "./slices.ts";

/** A metric of objects, as the API lists it. */
export interface MetricInfo {
  /** Plural resource with its group: "pods", "deployments.apps", "ingresses.networking.k8s.io". */
  readonly groupResource: string;
  readonly namespaced: boolean;
  readonly metric: string;
}

/** A metric of objects, and where its values come from. */
export interface CustomEntry extends MetricInfo {
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
export interface Former<E = CustomEntry | ExternalEntry> {
  readonly text: string;
  readonly lists: readonly (readonly string[])[];
  readonly found: Discovered<E>;
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
  const candidates = await resourceLabels(rule, labels, context);
  const namesWith = await context.source.namesWith(
    rule.seriesQuery,
    candidates.map(([label]) => label),
  );
  const lists = candidates.map(([label]) => namesWith.get(label) ?? []);
  const text = JSON.stringify([candidates, namespaceLabel, [...warnings]]);
  const former = formerOf<CustomEntry>(context, rule, text);
  if (former !== undefined && isSame(former.lists, lists)) return former.found;
  const entries: CustomEntry[] = [];
  for (const { info, resourceLabel, names } of await resourcesOf(candidates, lists, { labels, warnings })) {
    const groupResource = groupResourceOf(info);
    const { namespaced } = info;
    const own = { groupResource, namespaced, rule, info, resourceLabel, namespaceLabel };
    const known = former?.found.entries.filter((entry) => entry.groupResource === groupResource);
    await addEntries(entries, names, { rule, warnings, known, make: (named) => ({ ...named, ...own }) });
  }
  return await settled(rule, context, { text, lists, warnings, entries });
}

interface ResourceSeries {
  readonly info: ClusterResource;
  readonly resourceLabel: string;
  readonly names: readonly string[];
}

/** The names of the series of each resource, whichever of its labels they carry. */
async function resourcesOf(
  candidates: Candidates,
  lists: readonly (readonly string[])[],
  { labels, warnings }: { readonly labels: ResourceLabels; readonly warnings: Set<string> },
): Promise<Iterable<ResourceSeries>> {
  const found = new Map<string, ResourceSeries>();
  for (const [at, [label, info]] of candidates.entries()) {
    const resource = groupResourceOf(info);
    // Only the rule decides by which label it queries: series carry what their owners like.
    const resourceLabel = (await labels.labelFor(info)) ?? label;
    // Without the other label's name: there is no end of names.
    if (label !== resourceLabel)
      warnings.add(`another label maps to ${resource}: only ${resourceLabel} is used in queries`);
    const [others, names] = [found.get(resource)?.names, lists[at] ?? []];
    const all = others === undefined ? names : [...new Set([...others, ...names])];
    found.set(resource, { info, resourceLabel, names: all });
  }
  return found.values();
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
  const former = formerOf<ExternalEntry>(context, rule, text);
  if (former !== undefined && isSame(former.lists, lists)) return former.found;
  const entries: ExternalEntry[] = [];
  const known = former?.found.entries;
  const make = (named: NamedSeries): ExternalEntry => ({ ...named, rule, namespaceLabel });
  await addEntries(entries, names, { rule, warnings, known, make });
  return await settled(rule, context, { text, lists, warnings, entries });
}

/** What the last relist found by the same labels. */
function formerOf<E extends CustomEntry | ExternalEntry>(
  { former }: DiscoverContext,
  rule: CompiledRule,
  text: string,
): Former<E> | undefined {
  const last = former?.get(rule);
  return last?.text === text ? (last as Former<E>) : undefined;
}

function isSame(lists: Former["lists"], others: Former["lists"]): boolean {
  return lists.every((list, index) => isEqual(list, others[index]));
}

function isEqual(a: readonly string[], b: readonly string[] | undefined): boolean {
  return a.length === b?.length && a.every((one, index) => one === b[index]);
}

type Candidates = readonly (readonly [label: string, info: ClusterResource])[];

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
): Promise<Candidates> {
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

interface Adding<E> {
  readonly rule: CompiledRule;
  readonly warnings: Set<string>;
  /** Of the last relist, in the order of their series. They stay the same objects. */
  readonly known: readonly E[] | undefined;
  readonly make: (named: NamedSeries) => E;
}

/** In the order of the series. */
async function addEntries<E extends NamedSeries>(
  entries: E[],
  names: readonly string[],
  { rule, warnings, known = [], make }: Adding<E>,
): Promise<void> {
  let at = 0;
  await inSlices(names.toSorted(), (series) => {
    while ((known[at]?.series ?? series) < series) at += 1;
    const same = known[at];
    const metric = same?.series === series ? undefined : metricOf(rule, series, warnings);
    if (same?.series === series) entries.push(same);
    else if (metric !== undefined) entries.push(make({ series, metric }));
  });
}

function metricOf(rule: CompiledRule, series: string, warnings: Set<string>): string | undefined {
  if (!rule.accepts(series)) return undefined;
  // A rule may put the name between quotes, and the name must not close them.
  if (/["'`\\\p{Cc}]/u.test(series)) {
    warnings.add("a series with a quote, a backslash or a control character in its name is left out");
    return undefined;
  }
  const metric = rule.metricName(series);
  if (metric === "") warnings.add("name.as results in an empty metric name");
  return metric === "" ? undefined : metric;
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
