// custom.metrics.k8s.io: requests to the provider, values to replies.
import { type Awaitable, chain } from "@plimsoll/component-base";
import type { Freshness } from "@plimsoll/metric-rules";
import type {
  CustomMetricQuery,
  CustomMetricsProvider,
  CustomMetricValue,
} from "../backends/prometheus/providers/custom-api.ts";
import { customListJson } from "./custom-json.ts";
import { queryOf } from "./external.ts";
import { badRequest, type Failure, routeNotFound } from "./failure.ts";
import { readFieldSelector } from "./field-selector.ts";
import { refusedLimit } from "./list-options.ts";
import { failed, type Reply } from "./reply.ts";
import type { RequestInfo } from "./request-info.ts";
import { column, type TableSource } from "./table.ts";
import { rfc3339 } from "./wire-time.ts";

export type CustomVersion = "v1beta1" | "v1beta2";

type Target = Pick<CustomMetricQuery, "groupResource" | "namespace" | "name" | "metric">;

/** Gives a list, also for one object. Ignores `watch`, as prometheus-adapter does. */
export function customMetrics(
  provider: CustomMetricsProvider,
  version: CustomVersion,
  info: RequestInfo,
  signal: () => AbortSignal,
): Awaitable<Reply> {
  const target = targetOf(info.resource?.segments ?? []);
  if ("reason" in target) return failed(target);
  const problem =
    refusedLimit(info.query) ?? checkFieldSelector(info.query.get("fieldSelector"), target.name);
  if (problem !== undefined) return failed(problem);
  const metricLabelSelector = info.query.get("metricLabelSelector") ?? "";
  const labelSelector = info.query.get("labelSelector") ?? "";
  return chain(provider.get({ ...target, labelSelector, metricLabelSelector, signal }), (outcome) =>
    outcome.ok
      ? valueList(outcome.value, { version, metricLabelSelector, freshness: outcome.freshness })
      : failed(outcome.failure),
  );
}

interface ListOptions {
  readonly version: CustomVersion;
  readonly metricLabelSelector: string;
  readonly freshness: Freshness | undefined;
}

function valueList(
  values: readonly CustomMetricValue[],
  { version, metricLabelSelector, freshness }: ListOptions,
): Reply {
  const excess = refusedRepetition(values, metricLabelSelector);
  if (excess !== undefined) return failed(excess);
  return {
    type: "metrics",
    object: () => ({
      kind: "MetricValueList",
      apiVersion: `custom.metrics.k8s.io/${version}`,
      metadata: {},
      ...queryOf(values),
      items: values.map(version === "v1beta1" ? itemV1beta1 : itemV1beta2),
    }),
    json: version === "v1beta1" ? undefined : () => customListJson(values),
    table: () => customTable(values, version),
    items: values.length,
    freshness,
  };
}

/** Each item has the selector in it, as an object: the caller chooses both how long it is and how many there are. */
const maxRepeatedBytes = 16 * 1024 * 1024;
/** JSON of the object takes less than this for each letter of the string. */
const maxGrowth = 64;

function refusedRepetition(values: readonly CustomMetricValue[], text: string): Failure | undefined {
  if (text.length * maxGrowth * values.length <= maxRepeatedBytes) return undefined;
  const bytes = JSON.stringify(values[0]?.selector ?? null).length;
  const cause = `metricLabelSelector takes ${bytes} bytes in each of ${values.length} items`;
  return bytes * values.length <= maxRepeatedBytes
    ? undefined
    : badRequest(`${cause}, more than ${maxRepeatedBytes} in all: shorten it, or request fewer objects`);
}

function targetOf(segments: readonly string[]): Target | Failure {
  if (segments.includes("")) return routeNotFound;
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
  if (!selector.ok) return badRequest(selector.message);
  const selected = selector.terms.find(
    ({ field, operator }) => field === "metadata.name" && operator === "=",
  );
  return selector.terms.length === 0 || selected?.value === name
    ? undefined
    : badRequest("fieldSelector metadata.name doesn't match requested name");
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

function customTable(values: readonly CustomMetricValue[], version: CustomVersion): TableSource {
  const apiVersion = `custom.metrics.k8s.io/${version}`;
  const item = version === "v1beta1" ? itemV1beta1 : itemV1beta2;
  return {
    columns,
    rows: values.map((value) => ({
      cells: [value.name, value.kind, value.metric, value.value, rfc3339(value.atMs)],
      metadata: {
        name: value.name,
        ...(value.namespace === undefined ? {} : { namespace: value.namespace }),
        creationTimestamp: null,
      },
      object: () => ({ kind: "MetricValue", apiVersion, ...item(value) }),
    })),
  };
}
