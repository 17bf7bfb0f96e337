// Which collector of kube-metrics-adapter gives a metric.
import type { Findings } from "../findings.ts";
import { jsonOf } from "../source.ts";
import { textOf } from "../values.ts";
import type { MetricConfig } from "./metric-config.ts";
import type { MetricPlace } from "./metric-place.ts";

/** Values of the label `type` in the selector of an External metric; the last ones are old names of metrics. */
const externalTypes: Readonly<Record<string, string>> = {
  prometheus: "prometheus",
  "json-path": "json-path",
  http: "json-path",
  "sqs-queue-length": "aws",
  influxdb: "influxdb",
  nakadi: "nakadi",
  zmon: "zmon",
};
const oldNames: Readonly<Record<string, string>> = {
  "prometheus-query": "prometheus",
  "flux-query": "influxdb",
  "zmon-check": "zmon",
  "sqs-queue-length": "aws",
};

/** Undefined for a metric that nothing says is kube-metrics-adapter's. */
export function collectorOf(
  { type, name, source }: MetricPlace,
  config: MetricConfig | undefined,
): string | undefined {
  if (config !== undefined) return config.collector;
  if (type === "Object")
    return jsonOf(source["describedObject"])["kind"] === "RouteGroup" ? "skipper" : undefined;
  if (type !== "External") return undefined;
  const { matchLabels } = jsonOf(jsonOf(source["metric"])["selector"]);
  const label = textOf(jsonOf(matchLabels)["type"]);
  if (label !== undefined && Object.hasOwn(externalTypes, label)) return externalTypes[label];
  return Object.hasOwn(oldNames, name) ? oldNames[name] : undefined;
}

/** The metric stays as it is, and nothing serves it yet. */
export function noteCollector({ path, name }: MetricPlace, collector: string, findings: Findings): void {
  findings.note({
    path: `${path}.metric.name`,
    value: name,
    message: `is read by the collector ${collector} of kube-metrics-adapter, which has no counterpart; the metric is kept, and fails until a rule serves it`,
    remedy: "bring the number into a Prometheus, and write a rule of metrics-adapter for it",
  });
}
