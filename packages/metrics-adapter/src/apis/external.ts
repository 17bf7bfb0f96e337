import type { ExternalMetricsProvider, ExternalMetricValue } from "../provider/provider.ts";
import { badRequest, routeNotFound, watchNotSupported } from "../server/failure.ts";
import type { RequestInfo } from "../server/request-info.ts";
import { column, type Table, table } from "../server/table.ts";
import { readFieldSelector } from "./field-selector.ts";
import { refusedListOptions } from "./list-options.ts";
import { failed, type Reply } from "./reply.ts";
import { rfc3339 } from "./wire-time.ts";

const ignoredFields = ["metadata.name", "metadata.namespace"];

export async function externalMetrics(
  provider: ExternalMetricsProvider,
  info: RequestInfo,
  signal: AbortSignal,
): Promise<Reply> {
  const segments = info.resource?.segments ?? [];
  const [prefix, namespace, metric] = segments;
  if (segments.length !== 3 || prefix !== "namespaces" || !namespace || !metric) {
    return failed(routeNotFound);
  }
  if (info.verb === "watch") {
    return failed(watchNotSupported("external.metrics.k8s.io", "*"));
  }
  const refused = refusedListOptions(info.query);
  if (refused !== undefined) {
    return failed(refused);
  }
  const selector = readFieldSelector(info.query.get("fieldSelector") ?? "", ignoredFields);
  if (!selector.ok) {
    return failed(badRequest(selector.message));
  }
  const labelSelector = info.query.get("labelSelector") ?? "";
  const outcome = await provider.get({ namespace, metric, labelSelector, signal });
  if (!outcome.ok) {
    return failed(outcome.failure);
  }
  const values = outcome.value;
  return {
    type: "metrics",
    object: () => ({
      kind: "ExternalMetricValueList",
      apiVersion: "external.metrics.k8s.io/v1beta1",
      metadata: {},
      items: values.map(item),
    }),
    table: () => externalTable(values, namespace),
    items: values.length,
    again: outcome.again,
  };
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

function externalTable(values: readonly ExternalMetricValue[], namespace: string): Table {
  return table(
    columns,
    values.map((value) => ({
      cells: [value.metric, value.value, labelText(value.labels), rfc3339(value.atMs)],
      metadata: { name: value.metric, namespace, creationTimestamp: null },
    })),
  );
}

function labelText(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([name, value]) => `${name}=${value}`);
  return pairs.length === 0 ? "<none>" : pairs.join(",");
}
