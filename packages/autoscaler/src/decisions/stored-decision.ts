// What the decision log stores of one decision: its input, packed, and its result, from which the trace follows.
import {
  type AppliedDecision,
  type DecideInput,
  type DecideResult,
  type Decision,
  type HpaMemory,
  type HpaSpec,
  type MetricSamples,
  type recordDecision,
  type TraceStep,
  withFailedRescale,
  withoutTrace,
} from "@plimsoll/core";
import type { Decide } from "../reconcile/evaluate/evaluate.ts";
import type { LoggedDecision } from "./logged-decision.ts";
import { type PackedSamples, packSamples, unpackSamples } from "./packed-samples.ts";

type Identity = Pick<LoggedDecision, "resource" | "namespace" | "name" | "uid" | "mode">;
type Context = Pick<LoggedDecision, "yieldedTo" | "builtIn" | "verdict">;

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
  readonly basis: Basis | undefined;
  /** In place of a basis: the trace, cut. */
  readonly cutTrace: readonly TraceStep[];
  /** Pods and values that were cut. */
  readonly leftOut: number;
  /** What makes it large: its pods, samples and metrics, and the specification by each hundred characters. */
  readonly entries: number;
  /** About what it takes, beside what it shares with the object and with other decisions. */
  readonly bytes: number;
}

type Made = Parameters<typeof recordDecision>[0];

interface Basis extends Pick<Made, "memory" | "result" | "applied"> {
  readonly input: Omit<DecideInput, "samples"> & { readonly samples: readonly PackedSamples[] };
}

/** What may be stored of a decision. */
interface StoreLimits {
  /** A larger input is replaced by its trace, which is cut. */
  readonly max: number;
  /** See `entriesOfSpec`. */
  readonly specEntries: number;
  /** False: no input is stored, only its trace. */
  readonly inputs: boolean;
}

/** Stores at most `max` entries. */
export function storedDecision(
  made: DecisionMade,
  { max, specEntries, inputs }: StoreLimits,
): StoredDecision {
  const { input, memory, decided, applied } = made;
  const result = withoutTrace(decided);
  const entries = specEntries + entriesOfReadings(input);
  const isKept = inputs && entries <= max;
  const { cutTrace, leftOut } = isKept ? nothingCut : cut(made.decision.trace, max);
  return {
    resource: made.resource,
    namespace: made.namespace,
    name: made.name,
    uid: made.uid,
    mode: made.mode,
    nowMs: input.nowMs,
    applied,
    decision:
      made.decision === decided.decision
        ? result.decision
        : withoutTrace({ ...decided, decision: made.decision }).decision,
    context: made.context,
    proposals: proposalsOf(made.decision.trace),
    basis: isKept ? { input: packed(input), memory, result, applied } : undefined,
    cutTrace,
    leftOut,
    entries: isKept ? entries : entriesOfTrace(cutTrace),
    bytes: isKept
      ? fixedBytes + entriesOfReadings(input) * bytesPerReading
      : fixedBytes + entriesOfTrace(cutTrace) * bytesPerTraceEntry,
  };
}

/** Measured with 15 pods and one metric: see docs/performance.md. */
const fixedBytes = 1_500;
const bytesPerReading = 50;
const bytesPerTraceEntry = 165;

/** By reference but for the samples: each decision has its own. */
function packed(input: DecideInput): Basis["input"] {
  return { ...input, samples: input.samples.map(packSamples) };
}

/** What the decision was made from; undefined where that was too large. */
export function madeFrom({ basis }: StoredDecision): Made | undefined {
  if (basis === undefined) return undefined;
  const { input, memory, result, applied } = basis;
  const samples = input.samples.map(unpackSamples);
  return { input: { ...input, samples }, memory, result, applied };
}

/** The whole trace, recomputed, or what is stored of it. */
export function traceOf(stored: StoredDecision, decide: Decide): readonly TraceStep[] {
  const made = madeFrom(stored);
  if (made === undefined) return stored.cutTrace;
  const { input, memory, applied } = made;
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

function entriesOfReadings({ pods, samples }: DecideInput): number {
  let entries = pods.ok ? pods.pods.length : 0;
  for (const sample of samples) entries += 1 + sizeOf(sample);
  return entries;
}

function sizeOf(samples: MetricSamples): number {
  if ("pods" in samples) return samples.pods.length;
  return "values" in samples ? samples.values.length : 0;
}

const charactersPerEntry = 100;

/** The entries of a specification alone. */
export function entriesOfSpec(spec: HpaSpec): number {
  return Math.floor(JSON.stringify(spec).length / charactersPerEntry);
}

function entriesOfTrace(trace: readonly TraceStep[]): number {
  let entries = 0;
  for (const step of trace)
    if (step.kind === "metric") entries += 1 + (step.pods?.length ?? 0) + (step.values?.length ?? 0);
  return entries;
}

type CutTrace = Pick<StoredDecision, "cutTrace" | "leftOut">;

const nothingCut: CutTrace = { cutTrace: [], leftOut: 0 };

/** The trace with no more than so many pods and values. */
function cut(trace: readonly TraceStep[], max: number): CutTrace {
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
