// The samples of the failure policy Assume.
import type { MetricContext } from "../metrics/context.ts";
import type { MetricSpec } from "../spec/metric-spec.ts";
import type { MetricSamples } from "../spec/samples.ts";
import { formatInstant } from "../time/rfc3339.ts";

/** Samples that say one value of everything a metric is about; undefined for metrics whose value has several parts. */
export function assumedSamples(
  { type }: MetricSpec,
  given: string | number,
  { nowMs, pods }: Pick<MetricContext, "nowMs" | "pods">,
): MetricSamples | undefined {
  const value = String(given);
  const timestamp = formatInstant(nowMs);
  switch (type) {
    case "Object":
      return { value, timestamp };
    case "External":
      return { values: [{ value, timestamp }] };
    case "Pods":
      return pods.ok ? { pods: pods.read().map(({ name }) => ({ name, value, timestamp })) } : undefined;
    default:
      return undefined;
  }
}
