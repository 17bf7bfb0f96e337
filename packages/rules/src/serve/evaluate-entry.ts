// Evaluates the query of a listed metric for a request, as the adapter does.
import { messageOf } from "@plimsoll/core/internal/values";
import { formatSelector, type InstantResult, type Matcher } from "@plimsoll/prometheus";
import type { CustomEntry, ExternalEntry } from "../discovery/discover.ts";
import type { PrometheusRead } from "../discovery/prometheus-read.ts";
import { type Matched, matchSamples } from "../query/match.ts";
import { isNamespaceName, isObjectName } from "../query/object-names.ts";
import { type Planned, planQuery, type QueryRequest, type QueryScope } from "../query/plan.ts";
import type { MetricRequest } from "./request.ts";

/** Where and when a query is evaluated. */
export interface ServeContext {
  readonly prometheus: PrometheusRead;
  /** The time of the query. */
  readonly atMs: number;
  /** How far back series count as existing. */
  readonly maxAgeMs: number;
  readonly signal: AbortSignal;
}

/** The query of a metric with its result. */
export type EntryResult =
  | {
      readonly ok: true;
      readonly promql: string;
      /** Of the objects; undefined for external metrics. */
      readonly names: readonly string[] | undefined;
      readonly result: InstantResult;
      /** Undefined for external metrics, and for results that are no vector. */
      readonly matched: Matched | undefined;
    }
  | { readonly ok: false; readonly promql: string; readonly isRule: boolean; readonly message: string };

/** Of one request: more are as good as none to a person. */
const maxNames = 1000;

/** The same checks, in the same order, as the adapter's; failures are part of the result. */
export async function evaluateEntry(
  entry: CustomEntry | ExternalEntry,
  request: MetricRequest,
  context: ServeContext,
): Promise<EntryResult> {
  const scope = scopeOf(entry, request);
  if ("ok" in scope) return scope;
  const { namespace, objectLabel } = scope;
  try {
    const names = objectLabel === undefined ? undefined : await namesOf(scope, objectLabel, request, context);
    const planned = planQuery({ ...scope, names });
    if (!planned.ok) return failed(planned.message, { isRule: planned.kind === "render" });
    return await run(planned.plan.promql, { names, namespace, objectLabel }, context);
  } catch (error) {
    context.signal.throwIfAborted();
    return failed(messageOf(error));
  }
}

/** The query of a metric for a request, not run: over the objects of these names, or over any that there are. */
export function planEntry(
  entry: CustomEntry | ExternalEntry,
  request: MetricRequest,
  names: QueryRequest["names"],
): Planned {
  const scope = scopeOf(entry, request);
  if (!("ok" in scope)) return planQuery({ ...scope, names });
  return { ok: false, kind: scope.isRule ? "render" : "contradiction", message: scope.message };
}

type Failed = EntryResult & { readonly ok: false };

function failed(message: string, { isRule = true, promql = "" } = {}): Failed {
  return { ok: false, promql, isRule, message };
}

function scopeOf(entry: CustomEntry | ExternalEntry, request: MetricRequest): QueryScope | Failed {
  const { rule, namespaceLabel, series } = entry;
  if (rule.metricsQuery === undefined) return failed(`${rule.path} has no query`);
  if (rule.live !== undefined) return failed(`${rule.path} has live: only the adapter reads the pods`);
  const confinedTo = rule.namespaced ? request.namespace : undefined;
  if (confinedTo !== undefined && namespaceLabel === undefined)
    return failed(`${rule.path} has no label for namespaces`);
  if (confinedTo !== undefined && !isNamespaceName(confinedTo))
    return failed(`${JSON.stringify(confinedTo)} is not the name of a namespace`, { isRule: false });
  const objectLabel = "resourceLabel" in entry ? entry.resourceLabel : undefined;
  return {
    template: rule.metricsQuery,
    series,
    selector: request.selector,
    namespace:
      confinedTo === undefined || namespaceLabel === undefined
        ? undefined
        : { label: namespaceLabel, name: confinedTo },
    objectLabel,
    groupBy: objectLabel === undefined ? [] : [objectLabel],
  };
}

interface Wanted {
  readonly names: readonly string[] | undefined;
  readonly namespace: { readonly label: string; readonly name: string } | undefined;
  readonly objectLabel: string | undefined;
}

async function run(
  promql: string,
  { names, namespace, objectLabel }: Wanted,
  { prometheus, atMs, signal }: ServeContext,
): Promise<EntryResult> {
  try {
    const result = await prometheus.query(promql, { atMs, signal });
    const matched =
      result.type === "vector" && objectLabel !== undefined
        ? matchSamples({ samples: result.samples, resourceLabel: objectLabel, names: names ?? [], namespace })
        : undefined;
    return { ok: true, promql, names, result, matched };
  } catch (error) {
    signal.throwIfAborted();
    return failed(messageOf(error), { promql });
  }
}

/** The objects that are requested. A cluster knows all of them; here those count that have series. */
async function namesOf(
  { series, namespace }: QueryScope,
  objectLabel: string,
  { name }: MetricRequest,
  context: ServeContext,
): Promise<readonly string[]> {
  if (name !== "*") return [name];
  const { prometheus, atMs, maxAgeMs, signal } = context;
  const range = { startMs: atMs - maxAgeMs, endMs: atMs, signal };
  const matchers: readonly Matcher[] =
    namespace === undefined ? [] : [{ label: namespace.label, operator: "=", value: namespace.name }];
  const within = formatSelector(series, matchers);
  const own = await objectNames(prometheus.labelValues(objectLabel, [within], range));
  // None in this namespace: the query then shows whose names it would have asked for.
  if (own.length > 0) return own;
  return await objectNames(prometheus.labelValues(objectLabel, [formatSelector(series, [])], range));
}

async function objectNames(values: Promise<readonly string[]>): Promise<readonly string[]> {
  return (await values).filter(isObjectName).toSorted().slice(0, maxNames);
}
