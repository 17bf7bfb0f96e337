// Finds steps in a trace.
import type { MetricTrace } from "../../objects/trace/metric.ts";
import type { TraceStep } from "../../objects/trace/step.ts";

/** The step of a kind; no trace has two of one kind, but of those that are about one metric. */
export function stepOf<K extends TraceStep["kind"]>(
  trace: readonly TraceStep[],
  kind: K,
): Extract<TraceStep, { kind: K }> | undefined {
  return trace.find((step): step is Extract<TraceStep, { kind: K }> => step.kind === kind);
}

/** The steps about metrics, in their order; none where metrics were not read. */
export function metricsOf(trace: readonly TraceStep[]): readonly MetricTrace[] {
  return trace.filter((step) => step.kind === "metric");
}

/** The metric at a position of spec.metrics. */
export function metricOf(trace: readonly TraceStep[], at?: number | null): MetricTrace | undefined {
  return metricsOf(trace).find(({ index }) => index === at);
}
