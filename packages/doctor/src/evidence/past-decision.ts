// The part of earlier decisions that rules compare.
import type { Decision, MetricTrace } from "@plimsoll/core";
import { amountOf } from "../text/amount.ts";

/** A decision of the past. */
export interface PastDecision {
  readonly atMs: number;
  readonly current: number;
  readonly desired: number;
  readonly metrics: readonly PastMetric[];
}

/** What one metric had and proposed. */
export interface PastMetric {
  readonly index: number;
  readonly ratio: number | undefined;
  /** Of an Object or External metric: the number before it is divided by replicas. */
  readonly total: number | undefined;
  readonly replicas: number | undefined;
  readonly withinTolerance: boolean;
  /** Pods without a sample, by name. */
  readonly missing: readonly string[];
}

export function pastDecision(atMs: number, decision: Decision): PastDecision {
  return {
    atMs,
    current: decision.currentReplicas,
    desired: decision.desiredReplicas,
    metrics: metricSteps(decision).map((step) => ({
      index: step.index,
      ratio: ratioOf(step),
      total: step.first === undefined ? undefined : amountOf(step.first.total),
      replicas: step.replicas,
      withinTolerance: step.rule === "within-tolerance",
      missing: (step.pods ?? []).filter(({ group }) => group === "missing").map(({ name }) => name),
    })),
  };
}

/** The metrics of a decision, with their arithmetic. */
export function metricSteps(decision: Decision): readonly MetricTrace[] {
  return decision.trace.filter((step): step is MetricTrace => step.kind === "metric");
}

/** Of the pass that decided; undefined when there is none, or it is not a finite number. */
export function ratioOf(step: MetricTrace): number | undefined {
  const ratio = (step.second ?? step.first)?.ratio;
  return typeof ratio === "number" ? ratio : undefined;
}

/** What the metrics propose together; undefined when they propose nothing. */
export function proposedBy(decision: Decision): number | undefined {
  const combined = decision.trace.find((step) => step.kind === "combine");
  return combined?.kind === "combine" ? combined.result : undefined;
}
