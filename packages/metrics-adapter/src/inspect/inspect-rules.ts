import { labelOf, type PrometheusClient, type QueryTemplate } from "@plimsoll/prometheus";
import type { CompiledResourceRule, CompiledRule, CompiledRules } from "../config/rules.ts";
import { createResourceLabels, groupResourceOf, type ResourceMapper } from "../naming/resource-labels.ts";
import { isNamespaceName, isObjectName } from "../query/object-names.ts";
import { planQuery, type QueryRequest } from "../query/plan.ts";
import { quantityOf } from "../query/value.ts";
import { type DiscoverContext, discoverCustom, discoverExternal } from "../registry/discover.ts";
import { createSeriesSource } from "../registry/series-source.ts";

export interface InspectOptions {
  readonly rules: CompiledRules;
  readonly prometheus: PrometheusClient;
  readonly mapper: ResourceMapper;
  readonly nowMs: number;
  /** How far back series count as existing. */
  readonly maxAgeMs: number;
  readonly signal: AbortSignal;
}

/** What a rule finds in a Prometheus, and what its query gives there. */
export interface RuleInspection {
  /** "rules[0]", "externalRules[1]", "resourceRules.cpu.nodeQuery". */
  readonly path: string;
  readonly metrics: readonly InspectedMetric[];
  /** What an operator should hear about the rule. */
  readonly remarks: readonly string[];
  /** Why nothing could be found out. */
  readonly problem: string | undefined;
  readonly sample: SampleQuery | undefined;
}

export interface InspectedMetric {
  readonly metric: string;
  /** "pods", "ingresses.networking.k8s.io"; undefined for external metrics. */
  readonly resource: string | undefined;
  readonly namespaced: boolean;
  readonly series: string;
}

/** A query as a client's request would cause it, and its answer. */
export interface SampleQuery {
  readonly promql: string;
  readonly total: number;
  /** The first few. Without a value where the number cannot be served. */
  readonly samples: readonly {
    readonly labels: Readonly<Record<string, string>>;
    readonly value: string | undefined;
  }[];
  readonly problem: string | undefined;
}

const MOST_SAMPLES = 3;

/** Asks a Prometheus about each rule. Failures are part of the result; only the caller's abort rejects. */
export async function inspectRules(options: InspectOptions): Promise<readonly RuleInspection[]> {
  const { rules, prometheus, mapper, nowMs, maxAgeMs, signal } = options;
  const context = { source: createSeriesSource({ prometheus, nowMs, maxAgeMs, signal }), mapper };
  const found: RuleInspection[] = [];
  for (const rule of [...rules.custom, ...rules.external])
    found.push(await inspectRule(options, context, rule));
  for (const rule of rules.resource === undefined ? [] : [rules.resource.cpu, rules.resource.memory]) {
    found.push(...(await inspectResourceRule(options, rule)));
  }
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
    const { entries, remarks } = await discover(rule, context);
    // A label such as job is found to be a resource too; pods are what most rules are about.
    const pods = entries.find((entry) => entry.resource === "pods");
    const first = pods ?? entries.find((entry) => entry.namespaced) ?? entries[0];
    const sample = first === undefined ? undefined : await sampleOf(options, rule, first);
    const metrics = entries.map(({ metric, resource, namespaced, series }) => ({
      metric,
      resource,
      namespaced,
      series,
    }));
    return { path: rule.path, metrics, remarks, problem: undefined, sample };
  } catch (error) {
    options.signal.throwIfAborted();
    return { path: rule.path, metrics: [], remarks: [], problem: messageOf(error), sample: undefined };
  }
}

async function discover(
  rule: CompiledRule,
  context: DiscoverContext,
): Promise<{ readonly entries: readonly Entry[]; readonly remarks: readonly string[] }> {
  if (rule.kind === "external") {
    const { entries, remarks } = await discoverExternal(rule, context);
    const found = entries.map(({ metric, series, namespaceLabel }) => ({
      metric,
      series,
      namespaceLabel,
      label: undefined,
      resource: undefined,
      namespaced: rule.namespaced,
    }));
    return { entries: found, remarks };
  }
  const { entries, remarks } = await discoverCustom(rule, context);
  const found = entries.map(({ metric, series, info, resourceLabel, namespaceLabel }) => ({
    metric,
    series,
    namespaceLabel,
    label: resourceLabel,
    resource: groupResourceOf(info),
    namespaced: info.namespaced,
  }));
  return { entries: found, remarks };
}

/** Asks as for one object that the series has now: any of them. */
async function sampleOf(options: InspectOptions, rule: CompiledRule, entry: Entry): Promise<SampleQuery> {
  const none = { promql: "", total: 0, samples: [] };
  if (rule.metricsQuery === undefined) return { ...none, problem: "the rule has no query" };
  const namespaceLabel = entry.namespaced ? entry.namespaceLabel : undefined;
  if (entry.namespaced && namespaceLabel === undefined) {
    return { ...none, problem: "no label stands for namespaces" };
  }
  const labels = [namespaceLabel, entry.label].flatMap((label) => label ?? []);
  const living = await livingObject(options, entry.series, labels);
  if (living === undefined) return { ...none, problem: `no sample of ${entry.series} now` };
  const namespace = namespaceLabel === undefined ? undefined : (labelOf(living, namespaceLabel) ?? "");
  const name = entry.label === undefined ? undefined : (labelOf(living, entry.label) ?? "");
  const odd = [
    namespace === undefined || isNamespaceName(namespace) ? undefined : namespace,
    name === undefined || isObjectName(name) ? undefined : name,
  ].find((value) => value !== undefined);
  if (odd !== undefined) return { ...none, problem: `${JSON.stringify(odd)} cannot be a name in a cluster` };
  return await run(options, {
    template: rule.metricsQuery,
    series: entry.series,
    selector: [],
    namespace:
      namespace === undefined || namespaceLabel === undefined
        ? undefined
        : { label: namespaceLabel, name: namespace },
    objectLabel: entry.label,
    names: name === undefined ? undefined : [name],
    groupBy: entry.label === undefined ? [] : [entry.label],
  });
}

async function livingObject(
  { prometheus, signal }: InspectOptions,
  series: string,
  labels: readonly string[],
): Promise<Readonly<Record<string, string>> | undefined> {
  const matchers = labels.map((label) => `${label}!=""`).join(",");
  const promql = `topk(1, count by (${labels.join(",")}) (${series}{${matchers}}))`;
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
      const sample = template && (await resourceSample(options, rule, { resource, template }));
      found.push({ path, metrics: [], remarks: [], problem: undefined, sample });
    } catch (error) {
      options.signal.throwIfAborted();
      found.push({ path, metrics: [], remarks: [], problem: messageOf(error), sample: undefined });
    }
  }
  return found;
}

async function resourceSample(
  options: InspectOptions,
  rule: CompiledResourceRule,
  { resource, template }: { readonly resource: "pods" | "nodes"; readonly template: QueryTemplate },
): Promise<SampleQuery> {
  const info = await options.mapper.byResource(resource);
  const label = info && (await createResourceLabels(rule.resources, options.mapper).labelFor(info));
  if (label === undefined)
    return { promql: "", total: 0, samples: [], problem: `no label stands for ${resource}` };
  return await run(options, {
    template,
    series: "",
    selector: [],
    namespace: undefined,
    objectLabel: label,
    names: "any",
    groupBy: resource === "pods" ? [label, rule.containerLabel] : [label],
  });
}

async function run({ prometheus, signal }: InspectOptions, request: QueryRequest): Promise<SampleQuery> {
  const planned = planQuery(request);
  if (!planned.ok) return { promql: "", total: 0, samples: [], problem: planned.message };
  const { promql } = planned.plan;
  try {
    const result = await prometheus.query(promql, { signal });
    if (result.type === "scalar") {
      return {
        promql,
        total: 1,
        samples: [{ labels: {}, value: quantityOf(result.value) }],
        problem: undefined,
      };
    }
    if (result.type !== "vector") {
      return { promql, total: 0, samples: [], problem: `the query gives a ${result.type}` };
    }
    const samples = result.samples
      .slice(0, MOST_SAMPLES)
      .map(({ labels, value }) => ({ labels, value: quantityOf(value) }));
    return { promql, total: result.samples.length, samples, problem: judge(request, result.samples) };
  } catch (error) {
    signal.throwIfAborted();
    return { promql, total: 0, samples: [], problem: messageOf(error) };
  }
}

/** Why a client would get no value out of these samples. */
function judge(
  { objectLabel, names }: QueryRequest,
  samples: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[],
): string | undefined {
  if (samples.length === 0) return "the query gives nothing";
  if (
    objectLabel !== undefined &&
    samples.every(({ labels }) => labelOf(labels, objectLabel) === undefined)
  ) {
    return `the result does not carry the label ${objectLabel}`;
  }
  if (names !== undefined && names !== "any" && samples.length > 1) return "several series for one object";
  return samples.some(({ value }) => Number.isFinite(value)) ? undefined : "no value is a number";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
