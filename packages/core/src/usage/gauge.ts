// Sums and averages of pod values, as utilization or average.
import { divide, type Int64, lowInt32, multiply, toFloat } from "../number/int64.ts";
import { milliText } from "../quantity/format.ts";

/** Sums over the pods that take part in one pass. */
export interface Totals {
  readonly usage: Int64;
  /** Sum of requests; unused by averages. */
  readonly requested: Int64;
  readonly pods: number;
}

export type Reading =
  | {
      readonly ok: true;
      readonly ratio: number;
      /** Thousandths per pod. */
      readonly average: Int64;
      /** Percent of the requests, for utilization targets. */
      readonly utilization: number | undefined;
    }
  | { readonly ok: false; readonly message: string };

/** How totals over many pods are compared with a target. */
export interface Gauge {
  readonly kind: "utilization" | "average";
  /** Percent, or thousandths per pod. */
  readonly target: Int64;
  read(totals: Totals): Reading;
  /** What a missing pod is taken to use where the others point down. */
  fullShare(request: Int64): Int64;
  /** `fullShare` in words for the trace. */
  readonly fullShareText: string;
}

/**
 * Usage as a whole percentage of requests.
 *
 * @upstream pkg/controller/podautoscaler/metrics/utilization.go#GetResourceUtilizationRatio
 */
export function utilizationGauge(targetPercent: number): Gauge {
  const sharePercent = Math.max(100, targetPercent);
  return {
    kind: "utilization",
    target: targetPercent,
    read: ({ usage, requested, pods }) => {
      if (requested === 0) return { ok: false, message: "no metrics returned matched known pods" };
      const utilization = lowInt32(divide(multiply(usage, 100), requested));
      return { ok: true, ratio: utilization / targetPercent, average: divide(usage, pods), utilization };
    },
    fullShare: (request) => divide(multiply(request, sharePercent), 100),
    fullShareText: `${sharePercent} % of its request`,
  };
}

/**
 * Average usage per pod.
 *
 * @upstream pkg/controller/podautoscaler/metrics/utilization.go#GetMetricUsageRatio
 */
export function averageGauge(targetMilli: Int64): Gauge {
  return {
    kind: "average",
    target: targetMilli,
    read: ({ usage, pods }) => {
      const average = divide(usage, pods);
      return { ok: true, ratio: toFloat(average) / toFloat(targetMilli), average, utilization: undefined };
    },
    fullShare: () => targetMilli,
    fullShareText: `the target of ${milliText(targetMilli)}`,
  };
}
