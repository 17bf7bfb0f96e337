// Inspects rules: what each finds in a Prometheus, and what its query gives there.
import { messageOf } from "@plimsoll/core/internal/values";
import { formatSelector, type Labels, labelOf, labelText, type QueryTemplate } from "@plimsoll/prometheus";
import type { CompiledResourceRule, CompiledRule, CompiledRules } from "../compile/compiled-rules.ts";
import type { DiscoverContext } from "../discovery/discover.ts";
import { discoverRule } from "../discovery/discover-rule.ts";
import type { PrometheusRead } from "../discovery/prometheus-read.ts";
import { createSeriesSource } from "../discovery/series-source.ts";
import type { ResourceMapper } from "../naming/cluster-resource.ts";
import { createResourceLabels, groupResourceOf } from "../naming/resource-labels.ts";
import { type EvaluatedSample, evaluateQuery } from "../query/evaluate.ts";
import { isNamespaceName, isObjectName } from "../query/object-names.ts";
import type { QueryRequest } from "../query/plan.ts";

/** What rules are inspected against. */
export interface InspectOptions {
  readonly rules: CompiledRules;
  readonly prometheus: PrometheusRead;
  readonly mapper: ResourceMapper;
  readonly nowMs: number;
  /** How far back series count as existing. */
  readonly maxAgeMs: number;
  readonly signal: AbortSignal;
  /** Names of the cluster's nodes; undefined where they are unknown. */
  readonly nodes?: readonly string[] | undefined;
}

/** What a rule finds, and what its query gives. */
export interface RuleInspection {
  /** "rules[0]", "externalRules[1]", "resourceRules.cpu.nodeQuery". */
  readonly path: string;
  readonly metrics: readonly InspectedMetric[];
  /** What an operator should know about the rule. */
  readonly warnings: readonly string[];
  /** Why the rule could not be inspected. */
  readonly problem: string | undefined;
  readonly sample: SampleQuery | undefined;
}

/** A metric that a rule gives, and the series that it comes from. */
export interface InspectedMetric {
  readonly metric: string;
  /** "pods", "ingresses.networking.k8s.io"; undefined for external metrics. */
  readonly resource: string | undefined;
  readonly namespaced: boolean;
  readonly series: string;
}

/** A query as a client's request would cause it, and its result. */
export interface SampleQuery {
  readonly promql: string;
  readonly total: number;
  /** The first few. */
  readonly samples: readonly EvaluatedSample[];
  readonly problem: string | undefined;
}

const MAX_SAMPLES = 3;

/** Inspects each rule. Failures are part of the result; only the caller's abort rejects. */
export async function inspectRules(options: InspectOptions): Promise<readonly RuleInspection[]> {
  const { rules, prometheus, mapper, nowMs, maxAgeMs, signal } = options;
  const context = { source: createSeriesSource({ prometheus, nowMs, maxAgeMs, signal }), mapper };
  const found: RuleInspection[] = [];
  for (const rule of [...rules.custom, ...rules.external])
    found.push(await inspectRule(options, context, rule));
  for (const rule of rules.resource === undefined ? [] : [rules.resource.cpu, rules.resource.memory])
    found.push(...(await inspectResourceRule(options, rule)));
  return found;
}

interface Entry extends InspectedMetric {
  readonly label: string | undefined;
  readonly namespaceLabel: string | undefined;
}

async function inspectRule(
  options: InspectOptions,
  context: DiscoverContext,
  rule: CompiledRule,
): Promise<RuleInspection> {
  try {
    const { entries, warnings } = await discover(rule, context);
    const sampled = rule.live === undefined ? await firstSample(options, rule, entries) : undefined;
    const sample = sampled?.total === 0 && joinsNames(rule) ? undefined : sampled;
    const metrics = entries.map(({ metric, resource, namespaced, series }) => ({
      metric,
      resource,
      namespaced,
      series,
    }));
    return { path: rule.path, metrics, warnings, problem: undefined, sample };
  } catch (error) {
    options.signal.throwIfAborted();
    return { path: rule.path, metrics: [], warnings: [], problem: messageOf(error), sample: undefined };
  }
}

/** A label such as job is found to be a resource too; pods are what most rules are about. */
function rankOf({ resource, namespaced }: Entry): number {
  if (resource === "pods") return 0;
  return resource === "jobs.batch" ? 2 : namespaced ? 1 : 3;
}

/** Of the first entry that has an object, or else of the first. */
async function firstSample(
  options: InspectOptions,
  rule: CompiledRule,
  entries: readonly Entry[],
): Promise<SampleQuery | undefined> {
  let first: SampleQuery | undefined;
  for (const entry of entries.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    const found = await sampleOf(options, rule, entry);
    if (found.promql !== "") return found;
    first ??= found;
  }
  return first;
}

/** Its query puts the names of a request together: the labels of one series need not be the names of an object. */
function joinsNames({ metricsQuery }: CompiledRule): boolean {
  const used = metricsQuery?.fields.used;
  return used?.has("LabelValuesByName") === true && !used.has("LabelMatchers");
}

async function discover(
  rule: CompiledRule,
  context: DiscoverContext,
): Promise<{ readonly entries: readonly Entry[]; readonly warnings: readonly string[] }> {
  const { findings, warnings } = await discoverRule(rule, context);
  const external = findings.external.map((entry) => ({
    ...entry,
    label: undefined,
    resource: undefined,
    namespaced: rule.namespaced,
  }));
  const custom = findings.custom.map((entry) => ({
    ...entry,
    label: entry.resourceLabel,
    resource: groupResourceOf(entry.info),
    namespaced: entry.info.namespaced,
  }));
  return { entries: [...custom, ...external], warnings };
}

/** Evaluates the rule's query for one object that the series has now: any of them. */
async function sampleOf(options: InspectOptions, rule: CompiledRule, entry: Entry): Promise<SampleQuery> {
  if (rule.metricsQuery === undefined) return noSample("the rule has no query");
  const namespaceLabel = entry.namespaced ? entry.namespaceLabel : undefined;
  if (entry.namespaced && namespaceLabel === undefined) return noSample("no label is mapped to namespaces");
  const labels = [namespaceLabel, entry.label].flatMap((label) => label ?? []);
  const living = await livingObject(options, entry.series, labels);
  if (living === undefined) return noSample(`no sample of ${entry.series} now`);
  const namespace = valueOf(living, namespaceLabel);
  const object = valueOf(living, entry.label);
  if (namespace !== undefined && !isNamespaceName(namespace.name)) return noSample(notAName(namespace.name));
  if (object !== undefined && !isObjectName(object.name)) return noSample(notAName(object.name));
  return await sample(options, {
    template: rule.metricsQuery,
    series: entry.series,
    selector: [],
    namespace,
    objectLabel: object?.label,
    names: object && [object.name],
    groupBy: object === undefined ? [] : [object.label],
  });
}

function noSample(problem: string): SampleQuery {
  return { promql: "", total: 0, samples: [], problem };
}

function notAName(name: string): string {
  return `${JSON.stringify(name)} cannot be a name in a cluster`;
}

interface LabelValue {
  readonly label: string;
  readonly name: string;
}

function valueOf(labels: Labels, label: string | undefined): LabelValue | undefined {
  return label === undefined ? undefined : { label, name: labelOf(labels, label) ?? "" };
}

async function livingObject(
  { prometheus, signal }: InspectOptions,
  series: string,
  labels: readonly string[],
): Promise<Labels | undefined> {
  const living = formatSelector(
    series,
    labels.map((label) => ({ label, operator: "!=", value: "" })),
  );
  const promql = `topk(1, count by (${labels.map(labelText).join(",")}) (${living}))`;
  const result = await prometheus.query(promql, { signal });
  return result.type === "vector" ? result.samples[0]?.labels : undefined;
}

async function inspectResourceRule(
  options: InspectOptions,
  rule: CompiledResourceRule,
): Promise<readonly RuleInspection[]> {
  const found: RuleInspection[] = [];
  const queries = [
    ["containerQuery", "pods", rule.containerQuery],
    ["nodeQuery", "nodes", rule.nodeQuery],
  ] as const;
  for (const [field, resource, template] of queries) {
    const path = `${rule.path}.${field}`;
    try {
      const sampled = template && (await resourceSample(options, rule, { resource, template }));
      const { sample, warnings = [] } = sampled ?? {};
      found.push({ path, metrics: [], warnings, problem: undefined, sample });
    } catch (error) {
      options.signal.throwIfAborted();
      found.push({ path, metrics: [], warnings: [], problem: messageOf(error), sample: undefined });
    }
  }
  return found;
}

async function resourceSample(
  options: InspectOptions,
  rule: CompiledResourceRule,
  { resource, template }: { readonly resource: "pods" | "nodes"; readonly template: QueryTemplate },
): Promise<{ readonly sample: SampleQuery; readonly warnings?: readonly string[] }> {
  const info = await options.mapper.byResource(resource);
  const label = info && (await createResourceLabels(rule.resources, options.mapper).labelFor(info));
  if (label === undefined) return { sample: noSample(`no label is mapped to ${resource}`) };
  const { all, ...found } = await evaluated(options, {
    template,
    series: "",
    selector: [],
    namespace: undefined,
    objectLabel: label,
    names: "any",
    groupBy: resource === "pods" ? [label, rule.containerLabel] : [label],
  });
  const names = all.flatMap(({ labels }) => labelOf(labels, label) ?? []);
  return { sample: found, warnings: resource === "nodes" ? foreignNodes(names, label, options.nodes) : [] };
}

/** `kubectl top nodes` looks values up by the names of nodes. */
function foreignNodes(
  names: readonly string[],
  label: string,
  nodes: readonly string[] | undefined,
): readonly string[] {
  const isNode = (name: string) => (nodes === undefined ? /^[-.a-z0-9]+$/.test(name) : nodes.includes(name));
  const [first] = names;
  if (first === undefined || names.some(isNode)) return [];
  const what = `no node ${nodes === undefined ? "can be" : "of the cluster is"} called ${JSON.stringify(first)}, the value of label ${label}, so kubectl top nodes stays empty`;
  return [
    `${what}: in resources.overrides, map the label with the node's name, such as node: {resource: node}; if the series have none, relabel __meta_kubernetes_node_name to node in the scrape job`,
  ];
}

async function sample(options: InspectOptions, request: QueryRequest): Promise<SampleQuery> {
  const { all: _, ...found } = await evaluated(options, request);
  return found;
}

async function evaluated(
  { prometheus, signal }: InspectOptions,
  request: QueryRequest,
): Promise<SampleQuery & { readonly all: readonly EvaluatedSample[] }> {
  const { promql, samples, problem } = await evaluateQuery(request, (text) =>
    prometheus.query(text, { signal }),
  );
  signal.throwIfAborted();
  return { promql, total: samples.length, samples: samples.slice(0, MAX_SAMPLES), problem, all: samples };
}
