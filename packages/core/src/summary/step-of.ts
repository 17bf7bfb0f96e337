import type { TraceStep } from "../trace/step.ts";

/** The step of a kind; no trace has two of one kind, but of those that are about one metric. */
export function stepOf<K extends TraceStep["kind"]>(
  trace: readonly TraceStep[],
  kind: K,
): Extract<TraceStep, { kind: K }> | undefined {
  return trace.find((step): step is Extract<TraceStep, { kind: K }> => step.kind === kind);
}
