// Sums and averages of pod values, as utilization or average.

import type { Semantics } from "../../objects/semantics.ts";
import { maxInt32, minInt32 } from "../../values/number/go-float.ts";
import {
  divide,
  type Int64,
  lowInt32,
  multiply,
  type Sum,
  toFloat,
  wrapSum,
} from "../../values/number/int64.ts";
import { milliText } from "../../values/quantity/format.ts";

/** Sums over the pods that take part in one pass. */
export interface Totals {
  readonly usage: Sum;
  /** Sum of requests; unused by averages. */
  readonly requested: Sum;
  readonly pods: number;
}

/** The totals as a release adds them up. */
export function totalsUnder({ sumsExactly }: Semantics, totals: Totals): Totals {
  const { usage, requested, pods } = totals;
  return sumsExactly ? totals : { usage: wrapSum(usage), requested: wrapSum(requested), pods };
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
export function utilizationGauge(targetPercent: number, { sumsExactly }: Semantics): Gauge {
  const sharePercent = Math.max(100, targetPercent);
  return {
    kind: "utilization",
    target: targetPercent,
    read: ({ usage, requested, pods }) => {
      if (requested === 0) return { ok: false, message: "no metrics returned matched known pods" };
      const utilization = sumsExactly
        ? exactPercent(usage, requested)
        : lowInt32(divide(multiply(usage, 100), requested));
      return { ok: true, ratio: utilization / targetPercent, average: divide(usage, pods), utilization };
    },
    fullShare: (request) => divide(multiply(request, sharePercent), 100),
    fullShareText: `${sharePercent} % of its request`,
  };
}

/** Stops at the ends of an int32. */
function exactPercent(usage: Sum, requested: Sum): number {
  const percent = (BigInt(usage) * 100n) / BigInt(requested);
  return Math.max(minInt32, Math.min(maxInt32, Number(percent)));
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
