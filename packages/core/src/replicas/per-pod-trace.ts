import type { Int64 } from "../number/int64.ts";
import { milliText } from "../quantity/format.ts";
import type { Pod } from "../spec/pod.ts";
import { jsonFloat } from "../trace/json-float.ts";
import type { MetricTrace, PassTrace, PodCounts, PodTrace } from "../trace/metric.ts";
import type { Gauge, Reading, Totals } from "../usage/gauge.ts";

/** The part of a metric's trace that a calculator fills in. */
export type PerPodTrace = Pick<MetricTrace, "pods" | "counts" | "values" | "first" | "second" | "rule">;

export function passTrace(
  gauge: Gauge,
  totals: Totals,
  reading: Extract<Reading, { ok: true }>,
  isWithin: boolean,
): PassTrace {
  return {
    total: milliText(totals.usage),
    ...(gauge.kind === "utilization" ? { requested: milliText(totals.requested) } : {}),
    pods: totals.pods,
    usage: reading.utilization === undefined ? milliText(reading.average) : String(reading.utilization),
    ratio: jsonFloat(reading.ratio),
    withinTolerance: isWithin,
  };
}

/** Adds each pod's request, where requests take part. */
export function tracePods(
  grouped: { readonly pods: readonly PodTrace[]; readonly counts: PodCounts },
  pods: readonly Pod[],
  requests: readonly Int64[] | undefined,
): PerPodTrace {
  if (requests === undefined) return grouped;
  return {
    counts: grouped.counts,
    pods: grouped.pods.map((trace, i) => {
      const request = i < pods.length ? requests[i] : undefined;
      return request === undefined ? trace : { ...trace, request: milliText(request) };
    }),
  };
}
