// The PromQL of a metric for the workload, out of the rules of the metrics adapter.
import { type LabelSelector, labelSelector, SelectorError } from "@plimsoll/core/selector";
import type { PrometheusClient } from "@plimsoll/prometheus";
import {
  type Catalog,
  type CompiledRules,
  createBuiltinMapper,
  createSeriesSource,
  groupResourceOf,
  listMetrics,
  type MetricRequest,
  matchersOf,
  planEntry,
  type ResourceMapper,
  type SelectorMatchers,
} from "@plimsoll/rules";
import type { RecordedSpan } from "../replay/recording.ts";
import type { MetricFacts } from "./manifest.ts";

/** What gives a metric, or why nothing does. */
export type MetricQuery =
  | {
      readonly ok: true;
      readonly promql: (pods: readonly string[]) => string;
      /** The label with the name of the pod; undefined for metrics that are of no pods. */
      readonly podLabel: string | undefined;
      /** Of a resource rule: what the adapter says that a value covers. */
      readonly windowMs?: number;
    }
  | { readonly ok: false; readonly why: string };

/** The rules, and the metrics that they gave in the span. */
export interface ListedRules {
  readonly catalog: Catalog;
  readonly mapper: ResourceMapper;
}

/** Lists the metrics once, as of the end of the span. */
export async function listRules(
  client: PrometheusClient,
  rules: CompiledRules,
  { span, signal }: { readonly span: RecordedSpan; readonly signal: AbortSignal },
): Promise<ListedRules> {
  const prometheus: PrometheusClient = {
    ...client,
    query: (promql, options) => client.query(promql, { ...options, atMs: span.toMs }),
  };
  const source = createSeriesSource({
    prometheus,
    nowMs: span.toMs,
    maxAgeMs: span.toMs - span.fromMs,
    signal,
  });
  const mapper = createBuiltinMapper(rules);
  return { catalog: await listMetrics(rules, { source, mapper }, signal), mapper };
}

/** The query of a Pods, Object or External metric. */
export async function ruleQuery(
  { catalog, mapper }: ListedRules,
  facts: MetricFacts,
  namespace: string,
): Promise<MetricQuery> {
  const { pods, object, external } = facts.spec;
  const selector = selectorOf((pods ?? object ?? external)?.metric.selector);
  if (!selector.ok) return { ok: false, why: selector.message };
  const request = (resource: string | undefined, name: string): MetricRequest => ({
    metric: facts.name,
    namespace,
    resource,
    name,
    selector: selector.matchers,
  });
  if (external !== undefined) {
    const entry = catalog.snapshot.external(facts.name);
    if (entry === undefined) return { ok: false, why: `no rule provides the external metric ${facts.name}` };
    const planned = planEntry(entry, request(undefined, ""), undefined);
    if (!planned.ok) return { ok: false, why: planned.message };
    return { ok: true, promql: () => planned.plan.promql, podLabel: undefined };
  }
  const resource = object === undefined ? "pods" : await resourceOf(mapper, object.describedObject);
  const entry = catalog.snapshot.custom(resource, facts.name);
  if (entry === undefined)
    return { ok: false, why: `no rule provides the metric ${facts.name} of ${resource}` };
  const name = object?.describedObject.name ?? "*";
  const first = planEntry(entry, request(resource, name), object === undefined ? "any" : [name]);
  if (!first.ok) return { ok: false, why: first.message };
  if (object !== undefined) return { ok: true, promql: () => first.plan.promql, podLabel: undefined };
  const promql = (names: readonly string[]): string => {
    const planned = planEntry(entry, request(resource, "*"), names.length > 0 ? names : "any");
    return planned.ok ? planned.plan.promql : first.plan.promql;
  };
  return { ok: true, promql, podLabel: entry.resourceLabel };
}

async function resourceOf(
  mapper: ResourceMapper,
  { kind, apiVersion = "" }: { readonly kind: string; readonly apiVersion?: string | undefined },
): Promise<string> {
  const [group = ""] = apiVersion.includes("/") ? apiVersion.split("/") : [];
  const info = await mapper.byResource([kind.toLowerCase(), ...(group === "" ? [] : [group])].join("."));
  return info === undefined ? kind.toLowerCase() : groupResourceOf(info);
}

/** The requirements of a metric's selector, or what is wrong with it. */
function selectorOf(selector: LabelSelector | undefined): SelectorMatchers {
  try {
    return matchersOf(selector === undefined ? { requirements: [] } : labelSelector(selector));
  } catch (error) {
    if (error instanceof SelectorError) return { ok: false, message: error.message };
    throw error;
  }
}
