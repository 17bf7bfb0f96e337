// Traces one metric through the rules: rule, series, name, resource, query, samples, and what the API serves.
import { formatSelector, type Labels, withMatchers } from "@plimsoll/prometheus";
import type { CompiledRule, CompiledRules } from "../compile/compiled-rules.ts";
import type { CustomEntry, ExternalEntry } from "../discovery/discover.ts";
import { createSeriesSource } from "../discovery/series-source.ts";
import type { ClusterResource, ResourceMapper } from "../naming/cluster-resource.ts";
import { createResourceLabels, groupResourceOf } from "../naming/resource-labels.ts";
import type { EvaluatedSample } from "../query/evaluate.ts";
import { quantityOf } from "../query/value.ts";
import { type Catalog, listMetrics } from "../serve/catalog.ts";
import { type EntryResult, evaluateEntry, type ServeContext } from "../serve/evaluate-entry.ts";
import type { MetricRequest, Served } from "../serve/request.ts";
import { serveMetric } from "../serve/serve.ts";
import { type Reason, reasonOf } from "./reason.ts";

/** What a metric is traced with. */
export interface TraceOptions extends ServeContext {
  readonly rules: CompiledRules;
  readonly mapper: ResourceMapper;
}

/** A metric's way, rule by rule. */
export interface MetricTrace {
  /** Rules whose series have the metric's name. */
  readonly candidates: readonly RuleCandidate[];
  /** Rules that do not give the metric, in the order of the file. */
  readonly others: readonly OtherRule[];
  readonly served: Served;
}

/** A rule whose series have the metric's name. */
export interface RuleCandidate {
  /** "rules[3]". */
  readonly rule: string;
  readonly kind: "custom" | "external";
  readonly seriesQuery: string;
  /** How many series of this name it selects. */
  readonly series: number;
  /** Their name, and that of the metric. */
  readonly name: string;
  readonly metric: string;
  /** The labels by which objects and namespaces are found; undefined where none is. */
  readonly resourceLabel?: string;
  readonly namespaceLabel?: string;
  /** "" where there is no query. */
  readonly promql: string;
  /** The first few. */
  readonly samples: readonly EvaluatedSample[];
  readonly total: number;
  /** Why it serves nothing; absent when it serves something. */
  readonly why?: string;
  readonly fix?: string;
}

/** A rule that does not give the metric. */
export interface OtherRule {
  readonly rule: string;
  readonly why: string;
}

const maxSamples = 5;

/** Rejects on the signal only. */
export async function traceMetric(options: TraceOptions, request: MetricRequest): Promise<MetricTrace> {
  const { rules, mapper, prometheus, maxAgeMs, signal, atMs } = options;
  const source = createSeriesSource({ prometheus, nowMs: atMs, maxAgeMs, signal });
  const catalog = await listMetrics(rules, { source, mapper }, signal);
  const info = request.resource === undefined ? undefined : await mapper.byResource(request.resource);
  const candidates: RuleCandidate[] = [];
  const others: OtherRule[] = [];
  for (const { rule, problem } of catalog.rules) {
    if ((rule.kind === "custom") !== (request.resource !== undefined)) continue;
    const found = problem === undefined ? await candidatesOf(rule, { options, catalog, request, info }) : [];
    candidates.push(...found);
    if (found.length === 0) others.push({ rule: rule.path, why: problem ?? "no series of this name" });
  }
  return { candidates, others, served: await serveMetric(catalog.snapshot, request, options) };
}

interface Traced {
  readonly options: TraceOptions;
  readonly catalog: Catalog;
  readonly request: MetricRequest;
  /** Undefined for external metrics. */
  readonly info: ClusterResource | undefined;
}

async function candidatesOf(rule: CompiledRule, traced: Traced): Promise<readonly RuleCandidate[]> {
  const { prometheus, atMs, maxAgeMs, signal } = traced.options;
  if (rule.seriesQuery === undefined) return [];
  const range = { startMs: atMs - maxAgeMs, endMs: atMs, signal };
  const { metric } = traced.request;
  const isMeant = (series: string): boolean =>
    rule.accepts(series) &&
    (rule.kind === "custom"
      ? rule.metricName(series) === metric
      : rule.metricName(series)?.toLowerCase() === metric.toLowerCase());
  const names = await prometheus.labelValues("__name__", [rule.seriesQuery], range);
  const found: RuleCandidate[] = [];
  for (const name of names.filter(isMeant).toSorted()) {
    const selector =
      withMatchers(rule.seriesQuery, [{ label: "__name__", operator: "=", value: name }]) ??
      formatSelector(name, []);
    const all = await prometheus.series([selector], range);
    found.push(await candidateOf(rule, { name, series: all }, traced));
  }
  return found;
}

interface NamedSeries {
  readonly name: string;
  readonly series: readonly Labels[];
}

async function candidateOf(
  rule: CompiledRule,
  { name, series }: NamedSeries,
  traced: Traced,
): Promise<RuleCandidate> {
  const { options, catalog, request, info } = traced;
  const labels = createResourceLabels(rule.resources, options.mapper);
  const namespaces = await options.mapper.byResource("namespaces");
  const namespaceLabel = namespaces && rule.namespaced ? await labels.labelFor(namespaces) : undefined;
  const resourceLabel = info && (await labels.labelFor(info));
  const entry = entryOf(rule, { series: name, metric: request.metric, namespaceLabel, info, resourceLabel });
  const evaluated = entry && (await evaluateEntry(entry, request, options));
  const samples = evaluated?.ok === true ? samplesOf(evaluated) : [];
  const reason: Reason | undefined = await reasonOf({
    rule,
    series,
    name,
    request,
    resource: info,
    resourceLabel,
    namespaceLabel,
    evaluated,
    servedBy: servedBy(catalog, request),
    context: options,
  });
  return {
    rule: rule.path,
    kind: rule.kind,
    seriesQuery: rule.seriesQuery ?? "",
    series: series.length,
    name,
    metric: request.metric,
    ...(resourceLabel === undefined ? {} : { resourceLabel }),
    ...(namespaceLabel === undefined ? {} : { namespaceLabel }),
    promql: evaluated?.promql ?? "",
    samples: samples.slice(0, maxSamples),
    total: samples.length,
    ...reason,
  };
}

/** The metric as the catalog would have it, also where no series has the labels that it takes. */
function entryOf(
  rule: CompiledRule,
  found: {
    readonly series: string;
    readonly metric: string;
    readonly namespaceLabel: string | undefined;
    readonly info: ClusterResource | undefined;
    readonly resourceLabel: string | undefined;
  },
): CustomEntry | ExternalEntry | undefined {
  const { info, resourceLabel, ...named } = found;
  if (rule.kind === "external") return { ...named, rule };
  return info === undefined || resourceLabel === undefined
    ? undefined
    : { ...named, rule, info, resourceLabel };
}

function samplesOf({ result }: EntryResult & { readonly ok: true }): readonly EvaluatedSample[] {
  if (result.type === "scalar") return [{ labels: {}, value: quantityOf(result.value) }];
  if (result.type !== "vector") return [];
  return result.samples.map(({ labels, value }) => ({ labels, value: quantityOf(value) }));
}

function servedBy(
  { snapshot }: Catalog,
  { resource, metric }: MetricRequest,
): CustomEntry | ExternalEntry | undefined {
  return resource === undefined ? snapshot.external(metric) : snapshot.custom(resource, metric);
}

/** "pods", as requests name a resource. */
export async function canonicalResource(
  resource: string,
  mapper: ResourceMapper,
): Promise<{ readonly resource: string; readonly namespaced: boolean } | undefined> {
  const info = await mapper.byResource(resource);
  return info === undefined ? undefined : { resource: groupResourceOf(info), namespaced: info.namespaced };
}
