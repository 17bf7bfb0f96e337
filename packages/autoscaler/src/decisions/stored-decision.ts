// What the decision log stores of one decision: its input and result by reference, from which the trace follows.
import {
  type AppliedDecision,
  type DecideInput,
  type DecideResult,
  type Decision,
  type HpaMemory,
  type MetricSamples,
  type recordDecision,
  type TraceStep,
  withFailedRescale,
  withoutTrace,
} from "@plimsoll/core";
import type { Decide } from "../reconcile/evaluate/evaluate.ts";
import type { LoggedDecision } from "./logged-decision.ts";

type Identity = Pick<LoggedDecision, "resource" | "namespace" | "name" | "uid" | "mode">;
type Context = Pick<LoggedDecision, "yieldedTo" | "builtIn">;

/** A decision that was carried out, or not. Its values do not change later. */
export interface DecisionMade extends Identity {
  readonly input: DecideInput;
  readonly memory: HpaMemory | undefined;
  /** What core decided. */
  readonly decided: DecideResult;
  readonly applied: AppliedDecision;
  /** The decision as it turned out, with the status that the object shows. */
  readonly decision: Decision;
  readonly context: Context;
}

/** What is stored of a decision. */
export interface StoredDecision extends Identity {
  readonly nowMs: number;
  readonly applied: AppliedDecision;
  readonly decision: Omit<Decision, "trace">;
  readonly context: Context;
  /** Replicas that each metric proposed, by position in spec.metrics. */
  readonly proposals: readonly { readonly index: number; readonly replicas: number }[];
  /** What the decision was made from; undefined where that is too large to be kept. */
  readonly basis: Parameters<typeof recordDecision>[0] | undefined;
  /** In place of a basis: the trace, cut. */
  readonly cutTrace: readonly TraceStep[];
  /** Pods and values that were cut. */
  readonly leftOut: number;
  /** What makes it large: its pods, samples and metrics, and the specification by each hundred characters. */
  readonly entries: number;
}

/** Stores at most `max` entries: a larger input is replaced by its trace, which is cut. */
export function storedDecision(made: DecisionMade, max: number): StoredDecision {
  const { resource, namespace, name, uid, mode, input, memory, decided, applied, context } = made;
  const result = withoutTrace(decided);
  const { trace } = made.decision;
  const decision =
    made.decision === decided.decision
      ? result.decision
      : withoutTrace({ decision: made.decision, memory: decided.memory }).decision;
  const own = { resource, namespace, name, uid, mode, nowMs: input.nowMs, applied, decision, context };
  const kept = { ...own, proposals: proposalsOf(trace) };
  const entries = entriesOfInput(input);
  if (entries <= max) {
    const basis = { input, memory, result, applied };
    return { ...kept, basis, cutTrace: [], leftOut: 0, entries };
  }
  const { cutTrace, leftOut } = cut(trace, max);
  return { ...kept, basis: undefined, cutTrace, leftOut, entries: entriesOfTrace(cutTrace) };
}

/** The whole trace, recomputed, or what is stored of it. */
export function traceOf({ basis, cutTrace }: StoredDecision, decide: Decide): readonly TraceStep[] {
  if (basis === undefined) return cutTrace;
  const { input, memory, applied } = basis;
  const result = decide(input, memory);
  const { message, isUncertain } = applied;
  return (message === undefined ? result : withFailedRescale(result, message, isUncertain)).decision.trace;
}

function proposalsOf(trace: readonly TraceStep[]): StoredDecision["proposals"] {
  const proposals: { index: number; replicas: number }[] = [];
  for (const step of trace) {
    if (step.kind !== "metric" || step.replicas === undefined) continue;
    proposals.push({ index: step.index, replicas: step.replicas });
  }
  return proposals;
}

function entriesOfInput({ pods, samples, hpa }: DecideInput): number {
  let entries = (pods.ok ? pods.pods.length : 0) + lengthOf(hpa.spec);
  for (const sample of samples) entries += 1 + sizeOf(sample);
  return entries;
}

function sizeOf(samples: MetricSamples): number {
  if ("pods" in samples) return samples.pods.length;
  return "values" in samples ? samples.values.length : 0;
}

const charactersPerEntry = 100;
const lengths = new WeakMap<object, number>();

/** Computed once for each specification, which many decisions share. */
function lengthOf(spec: object): number {
  const known = lengths.get(spec);
  if (known !== undefined) return known;
  const length = Math.floor(JSON.stringify(spec).length / charactersPerEntry);
  lengths.set(spec, length);
  return length;
}

function entriesOfTrace(trace: readonly TraceStep[]): number {
  let entries = 0;
  for (const step of trace)
    if (step.kind === "metric") entries += 1 + (step.pods?.length ?? 0) + (step.values?.length ?? 0);
  return entries;
}

/** The trace with no more than so many pods and values. */
function cut(trace: readonly TraceStep[], max: number): Pick<StoredDecision, "cutTrace" | "leftOut"> {
  let left = max;
  let leftOut = 0;
  const shortened = <T>(items: readonly T[]): readonly T[] => {
    const kept = items.slice(0, left);
    left -= kept.length;
    leftOut += items.length - kept.length;
    return kept;
  };
  const cutTrace = trace.map((step): TraceStep => {
    if (step.kind !== "metric") return step;
    const { pods, values } = step;
    return {
      ...step,
      ...(pods === undefined ? {} : { pods: shortened(pods) }),
      ...(values === undefined ? {} : { values: shortened(values) }),
    };
  });
  return { cutTrace, leftOut };
}
