// Why a rule whose series have a metric's name serves nothing, and what to do about it.
import {
  formatSelector,
  type Labels,
  labelOf,
  labelText,
  type Matcher,
  rangesOf,
  type VectorSample,
} from "@plimsoll/prometheus";
import type { CompiledRule } from "../compile/compiled-rules.ts";
import type { CustomEntry, ExternalEntry } from "../discovery/discover.ts";
import type { ClusterResource } from "../naming/cluster-resource.ts";
import { describeSamples, isGroupedBy } from "../query/match.ts";
import type { EntryResult, ServeContext } from "../serve/evaluate-entry.ts";
import type { MetricRequest } from "../serve/request.ts";

/** Why nothing is served, and the remedy. */
export interface Reason {
  readonly why: string;
  readonly fix: string;
}

/** What is known of a rule and the series of one name. */
export interface ReasonInput {
  readonly rule: CompiledRule;
  readonly name: string;
  readonly series: readonly Labels[];
  readonly request: MetricRequest;
  /** Undefined for external metrics. */
  readonly resource: ClusterResource | undefined;
  readonly resourceLabel: string | undefined;
  readonly namespaceLabel: string | undefined;
  /** Undefined where the rule maps no label to the resource. */
  readonly evaluated: EntryResult | undefined;
  readonly servedBy: CustomEntry | ExternalEntry | undefined;
  readonly context: ServeContext;
}

/** The first link that is broken, from the rule to the values; undefined when something is served. Rejects on the signal only. */
export async function reasonOf(input: ReasonInput): Promise<Reason | undefined> {
  return (
    withoutQuery(input) ??
    withoutLabel(input) ??
    inOtherNamespaces(input) ??
    displaced(input) ??
    (await ofResult(input))
  );
}

function withoutQuery({ rule }: ReasonInput): Reason | undefined {
  if (rule.metricsQuery !== undefined) return undefined;
  return { why: "the rule has no metricsQuery", fix: `add ${rule.path}.metricsQuery` };
}

/** No label of the series names the objects. */
function withoutLabel({ rule, series, resource, resourceLabel }: ReasonInput): Reason | undefined {
  if (resource === undefined) return undefined;
  const { singular } = resource;
  if (resourceLabel === undefined) {
    const likely = likelyLabel(series, singular);
    const label = likely ?? "LABEL";
    return {
      why: `the rule maps no label to ${resource.resource}; the series have ${labelNames(series)}`,
      fix: `add ${rule.path}.resources.overrides.${labelText(label)}: {resource: ${singular}}`,
    };
  }
  if (series.some((labels) => has(labels, resourceLabel))) return undefined;
  const likely = likelyLabel(series, singular);
  return {
    why: `no series has the label ${resourceLabel}, which the rule maps to ${resource.resource}; they have ${labelNames(series)}`,
    fix:
      likely === undefined
        ? `scrape ${resource.resource} with the label ${resourceLabel}, or request the resource that the series describe`
        : relabel(likely),
  };
}

/** None of the series is of the namespace of the request. */
function inOtherNamespaces({ rule, series, request, namespaceLabel }: ReasonInput): Reason | undefined {
  const { namespace } = request;
  if (namespace === undefined || !rule.namespaced) return undefined;
  if (namespaceLabel === undefined) {
    return {
      why: "the rule maps no label to namespaces, so requests within a namespace fail",
      fix: `add ${rule.path}.resources.overrides.namespace: {resource: namespace}`,
    };
  }
  if (series.some((labels) => labelOf(labels, namespaceLabel) === namespace)) return undefined;
  const of = `(${series.length} of ${series.length})`;
  const seen = valuesOf(series, namespaceLabel);
  const other = namesOf(series).find(
    (label) => label !== namespaceLabel && series.some((labels) => labelOf(labels, label) === namespace),
  );
  if (other === undefined) {
    const shown = seen.length === 0 ? `no label ${namespaceLabel}` : quoted(namespaceLabel, seen);
    return {
      why: `series have ${shown} ${of}; none is in ${namespace}`,
      fix:
        rule.kind === "external"
          ? `set ${rule.path}.resources.namespaced: false, if every namespace may read them`
          : `scrape the pods of ${namespace}, or request one of these namespaces`,
    };
  }
  const shown = [quoted(other, [namespace]), ...(seen.length === 0 ? [] : [quoted(namespaceLabel, seen)])];
  const count = series.filter((labels) => labelOf(labels, other) === namespace).length;
  return {
    why: `series have ${shown.join(", ")} (${count} of ${series.length})`,
    fix: relabel(other),
  };
}

/** Another rule, or another series, gives the same name. */
function displaced({ rule, name, servedBy }: ReasonInput): Reason | undefined {
  if (servedBy === undefined || (servedBy.rule === rule && servedBy.series === name)) return undefined;
  const other = servedBy.rule === rule ? `its series ${servedBy.series}` : servedBy.rule.path;
  return {
    why: `${other} has the same name and is served instead: the last one wins`,
    fix: "rename one of them with name.as, or remove one",
  };
}

/** The query fails, gives nothing, or gives what cannot be served. */
async function ofResult(input: ReasonInput): Promise<Reason | undefined> {
  const { evaluated, rule, resourceLabel } = input;
  if (evaluated === undefined) return undefined;
  const query = `${rule.path}.metricsQuery`;
  if (!evaluated.ok)
    return { why: evaluated.message, fix: evaluated.isRule ? `correct ${query}` : "correct the request" };
  const { result, matched } = evaluated;
  if (result.type === "scalar" && resourceLabel === undefined) return undefined;
  if (result.type !== "vector")
    return { why: `the query returned a ${result.type}`, fix: `correct ${query}` };
  if (result.samples.length === 0) return await ofNothing(input, evaluated.promql);
  if (matched !== undefined && resourceLabel !== undefined) {
    if (result.samples.every(({ labels }) => !has(labels, resourceLabel)))
      return { why: `the result has no label ${resourceLabel}`, fix: fixOfLabel(rule, evaluated.promql) };
    const [double] = matched.doubled;
    if (double !== undefined && matched.byName.size === 0) {
      return {
        why: `several series for ${double.name}: ${describeSamples(double.samples.slice(0, 2))}`,
        fix: `aggregate in ${query}: sum(…) by (<<.GroupBy>>)`,
      };
    }
  }
  const why = whyNoNumber(result.samples, resourceLabel !== undefined);
  const fix = `divide by clamp_min(…, 1e-9) in ${query}, or check the source values`;
  return why === undefined ? undefined : { why, fix };
}

/** An external metric has no value as soon as one sample is not a number. */
function whyNoNumber(samples: readonly VectorSample[], isOfObjects: boolean): string | undefined {
  const odd = samples.filter(({ value }) => !Number.isFinite(value));
  const [first] = odd;
  if (first === undefined || (isOfObjects && odd.length < samples.length)) return undefined;
  return isOfObjects
    ? `no value is a number: ${first.value}`
    : `${describeSamples([first])} is ${first.value}, so the metric has no value`;
}

/** No sample of the result has the label of the objects. */
function fixOfLabel({ metricsQuery, path }: CompiledRule, promql: string): string {
  if (/\bvector\s*\(/.test(promql))
    return "only vector(…) has a value, and it has no labels: the query's own series have nothing for these objects; check whether they are scraped";
  return isGroupedBy(metricsQuery)
    ? `keep the label in each part of ${path}.metricsQuery`
    : `end ${path}.metricsQuery with by (<<.GroupBy>>)`;
}

/** There are series, and the query returned nothing. */
async function ofNothing(input: ReasonInput, promql: string): Promise<Reason> {
  const { name, request, namespaceLabel, rule, context } = input;
  const matchers: Matcher[] = request.selector.map(({ matcher }) => matcher);
  if (namespaceLabel !== undefined && request.namespace !== undefined)
    matchers.push({ label: namespaceLabel, operator: "=", value: request.namespace });
  const selected = formatSelector(name, matchers);
  const [rangeMs] = rangesOf(promql);
  const recent = await first(context, `count(${selected})`);
  if (recent === undefined) {
    return request.selector.length > 0
      ? {
          why: `no series of ${name} matches the selector of the request`,
          fix: "correct the metric's selector",
        }
      : {
          why: `no sample of ${name} in the last 5m: its series have ended`,
          fix: "check whether the targets are still scraped",
        };
  }
  if (rangeMs !== undefined) {
    const samples = await first(context, `max(count_over_time(${selected}[${Math.round(rangeMs)}ms]))`);
    if ((samples ?? 0) < 2) {
      return {
        why: `the range of ${durationText(rangeMs)} has ${samples ?? 0} of the two samples of each series that a rate needs`,
        fix: `a range of at least 4 scrape intervals in ${rule.path}.metricsQuery`,
      };
    }
  }
  return {
    why: `${recent} series exist, but the query's own conditions exclude all of them`,
    fix: `correct ${rule.path}.metricsQuery`,
  };
}

async function first(
  { prometheus, atMs, signal }: ServeContext,
  promql: string,
): Promise<number | undefined> {
  try {
    const result = await prometheus.query(promql, { atMs, signal });
    return result.type === "vector" ? result.samples[0]?.value : undefined;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

function relabel(label: string): string {
  const mapped = `map ${label} in resources.overrides`;
  return label.startsWith("exported_") ? `honorLabels: true on the scrape, or ${mapped}` : mapped;
}

/** The label that most likely has the names of the objects: exported_pod, pod_name, kubernetes_pod_name. */
function likelyLabel(series: readonly Labels[], singular: string): string | undefined {
  const names = namesOf(series).filter((label) => label.split(/[_.]/).includes(singular));
  return names.find((label) => label === `exported_${singular}`) ?? names[0];
}

function namesOf(series: readonly Labels[]): readonly string[] {
  const names = new Set(series.flatMap((labels) => Object.keys(labels)));
  names.delete("__name__");
  return [...names].toSorted();
}

const maxShown = 5;

function labelNames(series: readonly Labels[]): string {
  const names = namesOf(series);
  return names.length === 0 ? "no labels" : listed(names);
}

function valuesOf(series: readonly Labels[], label: string): readonly string[] {
  return [...new Set(series.flatMap((labels) => labelOf(labels, label) ?? []))].toSorted();
}

function quoted(label: string, values: readonly string[]): string {
  return `${label}=${listed(values.map((value) => JSON.stringify(value)))}`;
}

function listed(texts: readonly string[]): string {
  const more = texts.length - maxShown;
  return texts.slice(0, maxShown).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function has(labels: Labels, label: string): boolean {
  return (labelOf(labels, label) ?? "") !== "";
}

function durationText(ms: number): string {
  if (ms % 60_000 === 0) return `${ms / 60_000}m`;
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}
