// What the text of an explanation is made from.
import type { Decision, DecisionSummary, MetricSpec, MetricTrace, TraceStep } from "@plimsoll/core";
import { defaultHpa } from "@plimsoll/core/api";
import type { Explained } from "../decisions/source.ts";

/** A decision with what belongs to it. */
export interface Facts {
  readonly explained: Explained;
  readonly decision: Decision;
  readonly summary: DecisionSummary;
  /** Empty where the input of the decision is not kept. */
  readonly specs: readonly MetricSpec[];
  readonly metrics: readonly MetricTrace[];
  readonly nowMs: number;
}

export function factsOf(
  explained: Explained & { readonly decision: Decision },
  summary: DecisionSummary,
  nowMs: number,
): Facts {
  const { decision, record } = explained;
  return {
    explained,
    decision,
    summary,
    specs: record === undefined ? [] : (defaultHpa(record.input.hpa).spec.metrics ?? []),
    metrics: decision.trace.filter((step): step is MetricTrace => step.kind === "metric"),
    nowMs,
  };
}

/** The step of a kind; no trace has two of one kind, but of those about one metric. */
export function stepOf<K extends TraceStep["kind"]>(
  { trace }: Decision,
  kind: K,
): Extract<TraceStep, { kind: K }> | undefined {
  return trace.find((step): step is Extract<TraceStep, { kind: K }> => step.kind === kind);
}
