// Reads the annotations metric-config.* of kube-metrics-adapter.
import { type Fields, fieldsOf } from "@plimsoll/core/internal/values";
import { fieldPath, textOf } from "../values.ts";

/** What the annotations say of one metric. */
export interface MetricConfig {
  readonly collector: string;
  /** By key, such as "query". */
  readonly settings: ReadonlyMap<string, string>;
}

export interface MetricConfigs {
  /** By type and name of the metric, as `metricKey` writes them. */
  readonly byMetric: ReadonlyMap<string, MetricConfig>;
  /** Annotations that kube-metrics-adapter passes over, by name. */
  readonly ignored: readonly string[];
}

const prefix = "metric-config.";

export function isMetricConfig(annotation: string): boolean {
  return annotation.startsWith(prefix);
}

export function metricKey(type: string, name: string): string {
  return `${type} ${name}`;
}

/** `metric-config.<type>.<metric>.<collector>/<key>`; a name of a metric with a dot in it is not found by it. */
export function readMetricConfigs(metadata: Fields): MetricConfigs {
  const byMetric = new Map<string, { collector: string; settings: Map<string, string> }>();
  const ignored: string[] = [];
  for (const [name, value] of Object.entries(fieldsOf(metadata["annotations"]))) {
    if (!isMetricConfig(name)) continue;
    const parts = partsOf(name);
    const text = textOf(value);
    if (parts === undefined || text === undefined) {
      ignored.push(name);
      continue;
    }
    const key = metricKey(parts.type, parts.metric);
    const found = byMetric.get(key) ?? { collector: parts.collector, settings: new Map<string, string>() };
    byMetric.set(key, found);
    if (found.collector === parts.collector) found.settings.set(parts.key, text);
    else ignored.push(name);
  }
  return { byMetric, ignored };
}

const types: Readonly<Record<string, string>> = { pods: "Pods", object: "Object" };

function partsOf(name: string) {
  const [head = "", key, ...rest] = name.split("/");
  const [, type = "", metric, collector, ...more] = head.split(".");
  if (key === undefined || metric === undefined || collector === undefined) return undefined;
  if (rest.length > 0 || more.length > 0) return undefined;
  return { type: types[type] ?? "External", metric, collector, key };
}

/** Where a setting stands in an object. */
export function settingPath(
  { type, name, collector }: { readonly type: string; readonly name: string; readonly collector: string },
  key: string,
): string {
  const annotation = `${prefix}${type.toLowerCase()}.${name}.${collector}/${key}`;
  return fieldPath("metadata.annotations", annotation);
}
