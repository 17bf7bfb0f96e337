// The name of a metric as its specification has it.
import type { MetricSpec, MetricStatus } from "@plimsoll/core";

export function metricName(metric: MetricSpec | MetricStatus): string {
  return (
    metric.resource?.name ??
    metric.containerResource?.name ??
    (metric.pods ?? metric.object ?? metric.external)?.metric.name ??
    ""
  );
}
