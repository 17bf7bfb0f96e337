import { jsonFloat } from "../../objects/trace/json-float.ts";
import type { MetricTrace, PassTrace } from "../../objects/trace/metric.ts";
import { milliText } from "../../values/quantity/format.ts";
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
