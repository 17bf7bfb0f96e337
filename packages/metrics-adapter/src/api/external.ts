// external.metrics.k8s.io: requests to the provider, values to replies.
import { type Awaitable, chain } from "@plimsoll/component-base";
import type { Freshness } from "@plimsoll/metric-rules";
import type {
  ExternalMetricsProvider,
  ExternalMetricValue,
} from "../backends/prometheus/providers/external.ts";
import { badRequest, routeNotFound, watchNotSupported } from "./failure.ts";
import { readFieldSelector } from "./field-selector.ts";
import { refusedListOptions } from "./list-options.ts";
import { failed, type Reply } from "./reply.ts";
import type { RequestInfo } from "./request-info.ts";
import { column, type TableSource } from "./table.ts";
import { rfc3339 } from "./wire-time.ts";

export function externalMetrics(
  provider: ExternalMetricsProvider,
  info: RequestInfo,
  signal: () => AbortSignal,
): Awaitable<Reply> {
  const segments = info.resource?.segments ?? [];
  const [prefix, namespace, metric] = segments;
  if (segments.length !== 3 || prefix !== "namespaces" || !namespace || !metric) return failed(routeNotFound);
  if (info.verb === "watch") return failed(watchNotSupported("external.metrics.k8s.io", "*"));
  const refused = refusedListOptions(info.query);
  if (refused !== undefined) return failed(refused);
  const selector = readFieldSelector(info.query.get("fieldSelector") ?? "");
  if (!selector.ok) return failed(badRequest(selector.message));
  const labelSelector = info.query.get("labelSelector") ?? "";
  return chain(provider.get({ namespace, metric, labelSelector, signal }), (outcome) =>
    outcome.ok ? valueList(outcome.value, namespace, outcome.freshness) : failed(outcome.failure),
  );
}

function valueList(
  values: readonly ExternalMetricValue[],
  namespace: string,
  freshness: Freshness | undefined,
): Reply {
  return {
    type: "metrics",
    object: () => ({
      kind: "ExternalMetricValueList",
      apiVersion: "external.metrics.k8s.io/v1beta1",
      metadata: {},
      ...queryOf(values),
      items: values.map(item),
    }),
    table: () => externalTable(values, namespace),
    items: values.length,
    freshness,
  };
}

/** No field of the API: whoever does not know it leaves it out. */
export function queryOf([first]: readonly { readonly query?: string | undefined }[]): {
  readonly query?: string;
} {
  return first?.query === undefined ? {} : { query: first.query };
}

function item(value: ExternalMetricValue): object {
  return {
    metricName: value.metric,
    metricLabels: value.labels ?? null,
    timestamp: rfc3339(value.atMs),
    ...(value.windowSeconds === undefined ? {} : { window: Math.round(value.windowSeconds) }),
    value: value.value,
  };
}

const columns = [
  column("Name", "Name of the metric."),
  column("Value", "Value of the metric."),
  column("Labels", "Labels of the sample."),
  column("Timestamp", "When the value was measured."),
];

function externalTable(values: readonly ExternalMetricValue[], namespace: string): TableSource {
  return {
    columns,
    rows: values.map((value) => ({
      cells: [value.metric, value.value, labelText(value.labels), rfc3339(value.atMs)],
      metadata: { name: value.metric, namespace, creationTimestamp: null },
      object: () => ({
        kind: "ExternalMetricValue",
        apiVersion: "external.metrics.k8s.io/v1beta1",
        ...item(value),
      }),
    })),
  };
}

function labelText(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([name, value]) => `${name}=${value}`);
  return pairs.length === 0 ? "<none>" : pairs.join(",");
}
