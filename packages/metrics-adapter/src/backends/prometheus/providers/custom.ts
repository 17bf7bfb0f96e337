// The provider of custom.metrics.k8s.io: metrics of objects.
import { type Awaitable, chain } from "@plimsoll/component-base";
import {
  type ClusterResource,
  type CustomEntry,
  groupResourceOf,
  type RegistrySnapshot,
  type ResourceMapper,
} from "@plimsoll/rules";
import type { Objects } from "../../../objects/objects.ts";
import type { EngineTelemetry } from "../../../telemetry/prometheus.ts";
import type {
  CustomMetricQuery,
  CustomMetricsProvider,
  CustomMetricValue,
  CustomRequest,
} from "./custom-api.ts";
import { createSelectObjects } from "./custom-objects.ts";
import { readValues } from "./custom-values.ts";
import type { WarnLeftOut } from "./left-out.ts";
import { type Failed, failed, type Outcome, ok } from "./outcome.ts";
import { createPipeline, type PipelineOptions } from "./pipeline.ts";
import { lookUp } from "./resource-lookup.ts";

export interface CustomProviderOptions extends PipelineOptions {
  readonly mapper: ResourceMapper;
  readonly objects: Objects;
  readonly telemetry: EngineTelemetry;
  readonly warnLeftOut: WarnLeftOut;
}

export function createCustomProvider(options: CustomProviderOptions): CustomMetricsProvider {
  const { registry, readSelector } = options;
  const selectObjects = createSelectObjects(options.objects, options.meter);
  const run = createPipeline<CustomRequest, CustomEntry, CustomMetricValue>(options, {
    find: (request, snapshot) => findEntry(options, request.query, snapshot),
    select: (request, entry) => selectObjects(request, entry),
    read: (request, metric) => readValues(options, request, metric),
    unusable: ({ query }, entry, cause) => unknownMetric(query, groupResourceOf(entry.info), cause),
  });
  return {
    list: () => registry.snapshot().infos,
    get(query) {
      const objectSelector = readSelector(query.labelSelector);
      if (!objectSelector.ok) return objectSelector;
      const metricSelector = readSelector(query.metricLabelSelector);
      if (!metricSelector.ok) return metricSelector;
      return run({
        query,
        caller: query,
        metric: query.metric,
        namespace: query.namespace,
        objectSelector: objectSelector.value,
        metricSelector: metricSelector.value,
        metricSelectorText: query.metricLabelSelector,
      });
    },
  };
}

function findEntry(
  { registry, mapper }: CustomProviderOptions,
  query: CustomMetricQuery,
  snapshot: RegistrySnapshot,
): Awaitable<Outcome<CustomEntry>> {
  // Controllers send the canonical name, so that the mapper is the exception.
  const direct = snapshot.custom(query.groupResource, query.metric);
  if (direct !== undefined) return inScope(query, direct);
  const state = registry.state();
  if (!state.isComplete) {
    const cause = state.problem ?? "metrics haven't been listed yet";
    return failed("Unavailable", cause, { retryAfterSeconds: 1 });
  }
  return chain(findResource(mapper, query), (info) => {
    if (!info.ok) return info;
    const resource = groupResourceOf(info.value);
    const entry = snapshot.custom(resource, query.metric);
    return entry === undefined ? unknownMetric(query, resource) : inScope(query, entry);
  });
}

function inScope(query: CustomMetricQuery, entry: CustomEntry): Outcome<CustomEntry> {
  return entry.info.namespaced === (query.namespace !== undefined)
    ? ok(entry)
    : unknownMetric(query, groupResourceOf(entry.info));
}

function findResource(
  mapper: ResourceMapper,
  { groupResource: resource, metric }: CustomMetricQuery,
): Awaitable<Outcome<ClusterResource>> {
  return lookUp(mapper, resource, (info) => {
    if (info !== undefined) return ok(info);
    const message = `the server could not find the metric ${metric} for ${resource}`;
    return failed("ResourceNotFound", message, { resource });
  });
}

function unknownMetric({ metric }: CustomMetricQuery, resource: string, cause?: string): Failed {
  const message = `the server could not find the metric ${metric} for ${resource}`;
  return failed("MetricNotFound", cause === undefined ? message : `${message}: ${cause}`, { resource });
}
