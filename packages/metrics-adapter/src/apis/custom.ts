import type { CustomMetricsProvider, CustomMetricValue } from "../provider/provider.ts";
import { badRequest, type Failure, routeNotFound } from "../server/failure.ts";
import type { RequestInfo } from "../server/request-info.ts";
import { column, type Table, table } from "../server/table.ts";
import { customListJson } from "./custom-json.ts";
import { readFieldSelector } from "./field-selector.ts";
import { failed, type Reply } from "./reply.ts";
import { rfc3339 } from "./wire-time.ts";

export type CustomVersion = "v1beta1" | "v1beta2";

interface Target {
  readonly groupResource: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly metric: string;
}

/** Custom metrics: the answer is a list, also for one object. `watch` is ignored, as it always was. */
export async function customMetrics(
  provider: CustomMetricsProvider,
  version: CustomVersion,
  info: RequestInfo,
  signal: AbortSignal,
): Promise<Reply> {
  const target = targetOf(info.resource?.segments ?? []);
  if ("reason" in target) {
    return failed(target);
  }
  const problem = checkFieldSelector(info.query.get("fieldSelector"), target.name);
  if (problem !== undefined) {
    return failed(problem);
  }
  const outcome = await provider.get({
    ...target,
    labelSelector: info.query.get("labelSelector") ?? "",
    metricLabelSelector: info.query.get("metricLabelSelector") ?? "",
    signal,
  });
  if (!outcome.ok) {
    return failed(outcome.failure);
  }
  const values = outcome.value;
  return {
    type: "metrics",
    object: () => ({
      kind: "MetricValueList",
      apiVersion: `custom.metrics.k8s.io/${version}`,
      metadata: {},
      items: values.map(version === "v1beta1" ? itemV1beta1 : itemV1beta2),
    }),
    json: version === "v1beta1" ? undefined : () => customListJson(values),
    table: () => customTable(values),
    items: values.length,
    again: outcome.again,
  };
}

function targetOf(segments: readonly string[]): Target | Failure {
  if (segments.includes("")) {
    return routeNotFound;
  }
  const [first = "", second = "", third = "", fourth = "", fifth = ""] = segments;
  if (first === "namespaces") {
    switch (segments.length) {
      case 3:
        return badRequest("invalid request path");
      case 4:
        return third === "metrics"
          ? { groupResource: "namespaces", namespace: undefined, name: second, metric: fourth }
          : routeNotFound;
      case 5:
        return { groupResource: third, namespace: second, name: fourth, metric: fifth };
      default:
        return routeNotFound;
    }
  }
  return segments.length === 3
    ? { groupResource: first, namespace: undefined, name: second, metric: third }
    : routeNotFound;
}

function checkFieldSelector(text: string | null, name: string): Failure | undefined {
  const selector = readFieldSelector(text ?? "");
  if (!selector.ok) {
    return badRequest(selector.message);
  }
  for (const term of selector.terms) {
    if (term.field !== "metadata.name") {
      return badRequest(`field label "${term.field}" not supported`);
    }
    if (term.operator !== "=" || term.value !== name) {
      return badRequest("fieldSelector metadata.name doesn't match requested name");
    }
  }
  return undefined;
}

function describedObject(value: CustomMetricValue): object {
  return {
    kind: value.kind,
    ...(value.namespace === undefined ? {} : { namespace: value.namespace }),
    name: value.name,
    apiVersion: value.apiVersion,
  };
}

function itemV1beta1(value: CustomMetricValue): object {
  return {
    describedObject: describedObject(value),
    metricName: value.metric,
    timestamp: rfc3339(value.atMs),
    ...(value.windowSeconds === undefined ? {} : { window: Math.round(value.windowSeconds) }),
    value: value.value,
    selector: value.selector ?? null,
  };
}

function itemV1beta2(value: CustomMetricValue): object {
  return {
    describedObject: describedObject(value),
    metric: { name: value.metric, selector: value.selector ?? null },
    timestamp: rfc3339(value.atMs),
    ...(value.windowSeconds === undefined ? {} : { windowSeconds: Math.round(value.windowSeconds) }),
    value: value.value,
  };
}

const columns = [
  column("Name", "Name of the described object."),
  column("Kind", "Kind of the described object."),
  column("Metric", "Name of the metric."),
  column("Value", "Value of the metric for the object."),
  column("Timestamp", "When the value was measured."),
];

function customTable(values: readonly CustomMetricValue[]): Table {
  return table(
    columns,
    values.map((value) => ({
      cells: [value.name, value.kind, value.metric, value.value, rfc3339(value.atMs)],
      metadata: {
        name: value.name,
        ...(value.namespace === undefined ? {} : { namespace: value.namespace }),
        creationTimestamp: null,
      },
    })),
  );
}
