import type { ResourceInfo, Selector } from "@plimsoll/kube";
import type { InstantResult, VectorSample } from "@plimsoll/prometheus";
import type { EngineTelemetry } from "../engine-telemetry.ts";
import { groupResourceOf, type ResourceMapper } from "../naming/resource-labels.ts";
import type { Objects } from "../objects/objects.ts";
import type { AskFor } from "../query/ask.ts";
import { failureOf } from "../query/failure.ts";
import { isNamespaceName, isObjectName } from "../query/object-names.ts";
import type { QueryPlan, QueryRequest } from "../query/plan.ts";
import { matchersOf, selectorObject } from "../query/selector-matchers.ts";
import { quantityOf } from "../query/value.ts";
import type { Registry } from "../registry/registry.ts";
import type { CustomEntry } from "../registry/snapshot.ts";
import { describeSamples, matchSamples } from "./match.ts";
import { failed, ok, readSelector } from "./outcome.ts";
import { partialFailure, partialWarning } from "./partial.ts";
import type { CustomMetricQuery, CustomMetricsProvider, CustomMetricValue, Outcome } from "./provider.ts";

export interface CustomProviderOptions {
  readonly registry: Registry;
  readonly mapper: ResourceMapper;
  readonly objects: Objects;
  readonly askFor: AskFor;
  readonly telemetry: EngineTelemetry;
}

/** A request, once its words have been understood. */
interface Asked {
  readonly query: CustomMetricQuery;
  readonly entry: CustomEntry;
  readonly objectSelector: Selector;
  readonly metricSelector: Selector;
}

/** Metrics of objects: custom.metrics.k8s.io. */
export function createCustomProvider(options: CustomProviderOptions): CustomMetricsProvider {
  return {
    list: () => options.registry.snapshot().infos,
    async get(query) {
      try {
        const asked = await understand(options, query);
        if (!asked.ok) return asked;
        return await answer(options, asked.value);
      } catch (error) {
        const failure = failureOf(error, query.signal);
        if (failure === undefined) throw error;
        return { ok: false, failure };
      }
    },
  };
}

async function understand(options: CustomProviderOptions, query: CustomMetricQuery): Promise<Outcome<Asked>> {
  const objectSelector = readSelector(query.labelSelector);
  if (!objectSelector.ok) return objectSelector;
  const metricSelector = readSelector(query.metricLabelSelector);
  if (!metricSelector.ok) return metricSelector;
  const entry = await findEntry(options, query);
  if (!entry.ok) return entry;
  const { info } = entry.value;
  if (info.namespaced !== (query.namespace !== undefined)) return unknownMetric(query, groupResourceOf(info));
  return ok({
    query,
    entry: entry.value,
    objectSelector: objectSelector.value,
    metricSelector: metricSelector.value,
  });
}

async function findEntry(
  options: CustomProviderOptions,
  query: CustomMetricQuery,
): Promise<Outcome<CustomEntry>> {
  const snapshot = options.registry.snapshot();
  // Controllers send the canonical name, so that asking the mapper is the exception.
  const direct = snapshot.custom(query.groupResource, query.metric);
  if (direct !== undefined) return ok(direct);
  const state = options.registry.state();
  if (!state.isComplete) {
    const cause = state.problem ?? "the metrics have not been listed yet";
    return failed("Unavailable", cause, { retryAfterSeconds: 1 });
  }
  let info: ResourceInfo | undefined;
  try {
    info = await options.mapper.byResource(query.groupResource);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    return failed("Unavailable", `the cluster's resources cannot be read: ${cause}`, {
      retryAfterSeconds: 1,
    });
  }
  if (info === undefined) {
    const message = `the server could not find the metric ${query.metric} for ${query.groupResource}`;
    return failed("ResourceNotFound", message, { resource: query.groupResource });
  }
  const entry = snapshot.custom(groupResourceOf(info), query.metric);
  return entry === undefined ? unknownMetric(query, groupResourceOf(info)) : ok(entry);
}

function unknownMetric(query: CustomMetricQuery, resource: string): ReturnType<typeof failed> {
  const message = `the server could not find the metric ${query.metric} for ${resource}`;
  return failed("MetricNotFound", message, { resource });
}

async function answer(
  options: CustomProviderOptions,
  asked: Asked,
): Promise<Outcome<readonly CustomMetricValue[]>> {
  const names = await objectNames(options, asked);
  if (!names.ok) return names;
  const request = requestFor(asked, names.value);
  if (!request.ok) return request;
  const { query, objectSelector } = asked;
  const part = query.name === "*" ? `* ${objectSelector.toString()}` : query.name;
  const answered = await options.askFor(request.value, part, query.signal);
  if (!answered.ok) {
    return answered.kind === "contradiction"
      ? failed("BadRequest", answered.message)
      : unusable(asked, answered.message);
  }
  return values(options, { asked, names: names.value, plan: answered.plan, result: answered.result });
}

async function objectNames(
  options: CustomProviderOptions,
  asked: Asked,
): Promise<Outcome<readonly string[]>> {
  const { query, entry, objectSelector } = asked;
  const { namespace, name, signal } = query;
  const resource = groupResourceOf(entry.info);
  const isPossible = namespace === undefined || isNamespaceName(namespace);
  if (name !== "*") {
    // What cannot be a name names nothing; it must not come near a query either.
    return isPossible && isObjectName(name)
      ? ok([name])
      : missing(asked, "there can be no object of that name");
  }
  const none = `no ${resource} match the selector ${JSON.stringify(objectSelector.toString())}`;
  if (!isPossible) return failed("NoObjectsSelected", none, { resource });
  const selected = await options.objects.select({
    info: entry.info,
    namespace,
    selector: objectSelector,
    signal,
  });
  if (!selected.ok) return selected;
  const names = selected.value.map((object) => object.metadata.name).filter(isObjectName);
  const where = namespace === undefined ? "" : ` in namespace ${namespace}`;
  return names.length === 0 ? failed("NoObjectsSelected", `${none}${where}`, { resource }) : ok(names.sort());
}

/** The metric is listed, but its rule gives no query for it. */
function unusable({ query, entry }: Asked, cause: string): ReturnType<typeof failed> {
  const resource = groupResourceOf(entry.info);
  const message = `${unknownMetric(query, resource).failure.message}: ${cause}`;
  return failed("MetricNotFound", message, { resource });
}

function requestFor(asked: Asked, names: readonly string[]): Outcome<QueryRequest> {
  const { query, entry, metricSelector } = asked;
  const { rule } = entry;
  const selector = matchersOf(metricSelector);
  if (!selector.ok) return failed("BadRequest", selector.message);
  if (rule.metricsQuery === undefined) return unusable(asked, `${rule.path} has no query`);
  const namespace = namespaceOf(asked);
  if (namespace === undefined && query.namespace !== undefined) {
    return unusable(asked, `${rule.path} names no label for namespaces`);
  }
  return ok({
    template: rule.metricsQuery,
    series: entry.series,
    selector: selector.matchers,
    namespace,
    objects: { label: entry.resourceLabel, names },
    groupBy: [entry.resourceLabel],
  });
}

function namespaceOf({ query, entry }: Asked): { label: string; name: string } | undefined {
  if (query.namespace === undefined || entry.namespaceLabel === undefined) return undefined;
  return { label: entry.namespaceLabel, name: query.namespace };
}

interface Answered {
  readonly asked: Asked;
  readonly names: readonly string[];
  readonly plan: QueryPlan;
  readonly result: InstantResult;
}

function values(options: CustomProviderOptions, answered: Answered): Outcome<readonly CustomMetricValue[]> {
  const { asked, names, plan, result } = answered;
  // Of many objects some are missing then, and count as such; of one the value itself may be too small.
  const warning = asked.query.name === "*" ? undefined : partialWarning(result);
  if (warning !== undefined) return partialFailure(warning);
  if (result.type !== "vector") {
    const message = `unable to fetch metrics: the query gives a ${result.type}, not one value per object`;
    return failed("Internal", message);
  }
  const matched = matchSamples({
    samples: result.samples,
    resourceLabel: asked.entry.resourceLabel,
    names,
    namespace: namespaceOf(asked),
  });
  if (!matched.ok) {
    const which = `${groupResourceOf(asked.entry.info)} ${matched.name}`;
    const cause = `several series for ${which}: ${describeSamples(matched.samples)}`;
    return failed("Internal", `unable to fetch metrics: the query gives ${cause}`);
  }
  if (matched.foreign > 0) options.telemetry.samplesDropped("other_namespace", matched.foreign);
  const found = names.flatMap((name) => valueOf(asked, plan, name, matched.byName.get(name)));
  const useless = matched.byName.size - found.length;
  if (useless > 0) options.telemetry.samplesDropped("not_a_number", useless);
  if (asked.query.name === "*" || found.length > 0) return ok(found);
  const sample = matched.byName.get(asked.query.name);
  return missing(
    asked,
    sample === undefined ? "there is no series for it" : `its value is ${String(sample.value)}`,
  );
}

function valueOf(
  { query, entry, metricSelector }: Asked,
  plan: QueryPlan,
  name: string,
  sample: VectorSample | undefined,
): readonly CustomMetricValue[] {
  const value = sample === undefined ? undefined : quantityOf(sample.value);
  if (sample === undefined || value === undefined) return [];
  return [
    {
      kind: entry.info.kind,
      apiVersion: `${entry.info.group}/${entry.info.version}`,
      namespace: query.namespace,
      name,
      metric: entry.metric,
      value,
      atMs: sample.atMs,
      windowSeconds: plan.windowSeconds,
      selector: selectorObject(metricSelector),
    },
  ];
}

function missing({ query, entry }: Asked, cause: string): ReturnType<typeof failed> {
  const resource = groupResourceOf(entry.info);
  const message = `the server could not find the metric ${query.metric} for ${resource} ${query.name}: ${cause}`;
  return failed("ObjectNotFound", message, { resource, name: query.name });
}
