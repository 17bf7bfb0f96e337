// The line of a step: its name, and what it did, as explanations have it.
import { type Decision, stepLines, type TraceStep } from "@plimsoll/core";

import { readableMetric } from "../ui/readable-metric.ts";

export interface StepTitle {
  readonly name: string;
  readonly text: string;
}

/** Of every step one line; further ones of core's are in the step itself. */
export function stepTitle(step: TraceStep, atMs: number | undefined): StepTitle {
  const shown = step.kind === "metric" ? readableMetric(step) : step;
  const [line] = stepLines({ trace: [shown] }, { every: true, atMs });
  return line ?? { name: step.kind, text: "" };
}

/** What distinguishes a step within its trace, for the address. */
export function stepId(step: TraceStep): string {
  return "index" in step ? `${step.kind}-${step.index}` : step.kind;
}

/** The steps that a reader needs first: the metric that decides, and what changed the replicas. */
export function firstOpen({ trace }: Pick<Decision, "trace">): ReadonlySet<string> {
  const winner = trace.find((step) => step.kind === "combine");
  const decider = winner?.kind === "combine" ? winner.winner : undefined;
  return new Set(
    trace
      .filter(
        (step) =>
          (step.kind === "metric" && (step.index === decider || step.error !== undefined)) ||
          (step.kind === "stabilize" && step.desired !== step.result) ||
          (step.kind === "limit" && step.from !== step.result) ||
          step.kind === "selector",
      )
      .map(stepId),
  );
}
