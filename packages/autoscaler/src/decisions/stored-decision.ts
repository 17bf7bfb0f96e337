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
import type { LoggedDecision } from "@plimsoll/decisions";
import { type MemoryStep, memoryStep } from "./memory-step.ts";
import { isSameMemory, type KeptMemory, packMemory } from "./packed-memory.ts";
import { type PackedSamples, packSamples, unpackSamples } from "./packed-samples.ts";
import { shareParts } from "./share-parts.ts";

type Identity = Pick<LoggedDecision, "resource" | "namespace" | "name" | "uid" | "mode">;
type Context = Pick<LoggedDecision, "yieldedTo" | "otherWriter" | "builtIn" | "verdict">;

/** Core's `decide`, or one with the same contract. */
export type Decide = (input: DecideInput, memory?: HpaMemory) => DecideResult;

/** What a decision was made from, and what core decided: the parts of its record. They do not change later. */
export type Made = Parameters<typeof recordDecision>[0];

/** `after`: the memory that core left, as it is kept anyway. */
export type MadeNow = Made & { readonly after?: KeptMemory | undefined };

/** What the decisions of a steady object have in common. */
interface SharedParts extends Identity {
  readonly applied: AppliedDecision;
  readonly decision: Omit<Decision, "trace">;
  readonly context: Context;
  /** Replicas that each metric proposed, by position in spec.metrics. */
  readonly proposals: readonly { readonly index: number; readonly replicas: number }[];
  /** What the decision was made from, but for its samples; undefined where that is too large to be kept. */
  readonly basis: Basis | undefined;
  /** In place of a basis: the trace, cut. */
  readonly cutTrace: readonly TraceStep[];
  /** Pods and values that were cut. */
  readonly leftOut: number;
  /** What makes it large: its pods, samples and metrics, and the specification by each hundred characters. */
  readonly entries: number;
}

interface Basis {
  readonly input: Omit<DecideInput, "samples" | "nowMs">;
  /** What core decided, where that is another one than it turned out to be. */
  readonly decided: Omit<Decision, "trace"> | undefined;
}

/** A decision as it is in memory. */
export interface KeptDecision {
  readonly nowMs: number;
  readonly shared: SharedParts;
  /** Empty without a basis. */
  readonly samples: readonly PackedSamples[];
  readonly step: MemoryStep;
  /** What the decision left; undefined where the next one was made with it. */
  after: KeptMemory | undefined;
  /** About what it takes, beside what it shares with the object and with other decisions. */
  readonly bytes: number;
}

/** What may be stored of a decision. */
interface StoreLimits {
  readonly former: KeptDecision | undefined;
  /** A larger input is replaced by its trace, which is cut. */
  readonly max: number;
  /** See `entriesOfSpec`. */
  readonly specEntries: number;
  /** False: no input is stored, only its trace. */
  readonly inputs: boolean;
}

/**
 * Keeps at most `max` entries. `logged`: the decision as it turned out, with the status that the object shows.
 * `former`: the decision before, which is changed to share what it left with this one.
 */
export function keptDecision(
  logged: LoggedDecision,
  made: MadeNow,
  { former, max, specEntries, inputs }: StoreLimits,
): KeptDecision {
  const { input, memory, result } = made;
  const readings = entriesOfReadings(input);
  const isKept = inputs && specEntries + readings <= max;
  const shared = shareParts(
    former?.shared,
    sharedParts(logged, made, isKept ? { entries: specEntries + readings } : { max }),
  );
  const isShared = shared === former?.shared;
  const kept = isKept
    ? {
        samples: input.samples.map((sample, i) => packSamples(sample, former?.samples[i])),
        step: memoryStep(memory, result.memory),
        after: made.after ?? packMemory(result.memory),
      }
    : { samples: [], step: nothingKept, after: undefined };
  if (former?.after !== undefined && isKept && isSameMemory(former.after, memory)) former.after = undefined;
  const textBytes = kept.samples.reduce((sum, sample, i) => sum + bytesOf(sample, former?.samples[i]), 0);
  const inTrace = isKept ? 0 : entriesOfTrace(shared.cutTrace) * bytesPerTraceEntry;
  const bytes = (isShared ? bytesBeside : bytesWhole) + textBytes + bytesOfStep(kept.step) + inTrace;
  return { nowMs: input.nowMs, shared, ...kept, bytes };
}

const nothingKept: MemoryStep = { kind: "whole", before: undefined };

function sharedParts(
  logged: LoggedDecision,
  { input, result, applied }: Made,
  limits: { readonly entries: number } | { readonly max: number },
): SharedParts {
  const { decision } = withoutTrace(result);
  const isAsDecided = logged.decision === result.decision;
  const isKept = "entries" in limits;
  const { trace } = logged.decision;
  const { cutTrace, leftOut } = isKept ? nothingCut : cut(trace, limits.max);
  const { nowMs: _, samples: __, ...rest } = input;
  return {
    resource: logged.resource,
    namespace: logged.namespace,
    name: logged.name,
    uid: logged.uid,
    mode: logged.mode,
    applied,
    decision: isAsDecided ? decision : withoutTrace({ ...result, decision: logged.decision }).decision,
    context: contextOf(logged),
    proposals: proposalsOf(trace),
    basis: isKept ? { input: rest, decided: isAsDecided ? undefined : decision } : undefined,
    cutTrace,
    leftOut,
    entries: isKept ? limits.entries : entriesOfTrace(cutTrace),
  };
}

function contextOf({ yieldedTo, otherWriter, builtIn, verdict }: LoggedDecision): Context {
  return {
    ...(yieldedTo === undefined ? {} : { yieldedTo }),
    ...(otherWriter === undefined ? {} : { otherWriter }),
    ...(builtIn === undefined ? {} : { builtIn }),
    ...(verdict === undefined ? {} : { verdict }),
  };
}

/** Measured with 15 pods and one metric: see docs/developers/performance.md. */
const bytesWhole = 1_500;
const bytesBeside = 250;
const bytesPerReading = 50;
const bytesPerTraceEntry = 165;

/** Of text that is not the former's. */
function bytesOf(packed: PackedSamples, former: PackedSamples | undefined): number {
  if (packed === former) return 0;
  if (!("cells" in packed)) return bytesPerReading * (1 + sizeOf(packed));
  const names =
    former !== undefined && "cells" in former && former.names === packed.names ? 0 : packed.names.length;
  return bytesPerReading + names + packed.cells.length;
}

function bytesOfStep(step: MemoryStep): number {
  const whole = step !== "appended" && step.kind === "whole" ? step.before : undefined;
  return bytesPerReading * (whole?.recommendations.length ?? 0);
}

/** What the decision was made from and what it left; undefined where that was too large. */
export function madeFrom(
  { nowMs, shared, samples: packed }: KeptDecision,
  { memory, after }: { readonly memory: HpaMemory | undefined; readonly after: HpaMemory },
): Made | undefined {
  const { basis, applied, decision } = shared;
  if (basis === undefined) return undefined;
  const input: DecideInput = { nowMs, ...basis.input, samples: packed.map(unpackSamples) };
  return { input, memory, result: { decision: basis.decided ?? decision, memory: after }, applied };
}

/** The whole trace, recomputed, or what is stored of it. */
export function traceOf(
  made: Made | undefined,
  { cutTrace }: SharedParts,
  decide: Decide,
): readonly TraceStep[] {
  if (made === undefined) return cutTrace;
  const { input, memory, applied } = made;
  const result = decide(input, memory);
  const { message, isUncertain } = applied;
  return (message === undefined ? result : withFailedRescale(result, message, isUncertain)).decision.trace;
}

function proposalsOf(trace: readonly TraceStep[]): SharedParts["proposals"] {
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

type CutTrace = Pick<SharedParts, "cutTrace" | "leftOut">;

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
