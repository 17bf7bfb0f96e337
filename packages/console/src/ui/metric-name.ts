// The name of a metric without what upstream says around it.
import { type MetricTrace, metricRows } from "@plimsoll/core";

export function metricName(metric: MetricTrace): string {
  const [row] = metricRows({ trace: [metric], status: {} as Parameters<typeof metricRows>[0]["status"] });
  return row?.name ?? metric.name;
}
