// The input of a decision as the controller that wrote a status may have had it.
import { decide } from "../../decide/decide.ts";
import type { PodFacts } from "../../decide/pods/facts.ts";
import { factsOf, preparePod } from "../../decide/pods/prepare.ts";
import type { DecideInput, Decision, HpaMemory } from "../../objects/decision.ts";
import type { MetricSpec } from "../../objects/metric-spec.ts";
import { resourceName } from "../../objects/metrics.ts";
import type { Pod } from "../../objects/pod.ts";
import type { HpaStatus, MetricStatus, StoredHpaStatus } from "../../objects/status.ts";
import type { MetricTrace } from "../../objects/trace/metric.ts";
import { hasTotal } from "../explain/metric-rows.ts";
import { metricsOf } from "../summary/step-of.ts";
import { measuredOf, safeMilli, withSamples } from "../what-if/measured.ts";
import { desiredOf } from "../why-not/earliest.ts";
import { conditionOf, isActive } from "./conditions.ts";
import { firstDifference, metricValue } from "./first-difference.ts";

/** The counts from the lowest to the highest. */
export interface Counts {
  readonly lowest: number;
  readonly highest: number;
}

/** What the rules give with the values of a status. */
interface Reproduction {
  readonly decision: Decision;
  /** The counts that are possible, because a status has rounded values; undefined: none is. */
  readonly counts: Counts | undefined;
}

/** With the count and the values of the status; once as pods are now, then as those that changed lately may have been. */
export function* reproductions(
  input: DecideInput,
  memories: readonly (HpaMemory | undefined)[],
  status: StoredHpaStatus,
): Generator<Reproduction> {
  let before: readonly Reproduction[] = [];
  for (const { pods, skipsSome } of podVariants(input, status)) {
    const counted = withCount({ ...input, pods }, status);
    // What was measured does not depend on the memory.
    const { decision: measured } = decide(counted, memories[0]);
    const highValues = withValues(counted, measured, status, "highest");
    const lowValues = withValues(counted, measured, status, "lowest");
    const all: Reproduction[] = [];
    for (const [at, memory] of memories.entries()) {
      const [high, low] = [highValues, lowValues].map((values) => {
        const { decision } = decide(values, memory);
        return { decision, counts: countsOf(decision, status) };
      }) as [Reproduction, Reproduction];
      const found = { decision: high.decision, counts: spanning(low.counts, high.counts) };
      all.push(found);
      yield skipsSome ? { ...found, counts: spanning(found.counts, before[at]?.counts) } : found;
    }
    before = all;
  }
}

/** Where the counts are the same and something else is not, that has to come out too. */
export function reproduces({ counts, decision }: Reproduction, status: HpaStatus, isWhole: boolean): boolean {
  return isAmong(status, counts) && (!isWhole || firstDifference(decision, status) === undefined);
}

export function isAmong({ desiredReplicas }: HpaStatus, counts: Counts | undefined): boolean {
  return counts !== undefined && counts.lowest <= desiredReplicas && desiredReplicas <= counts.highest;
}

/** Both, with the counts between them; none if either has none. */
export function spanning(one: Counts | undefined, other: Counts | undefined): Counts | undefined {
  if (one === undefined || other === undefined) return undefined;
  return { lowest: Math.min(one.lowest, other.lowest), highest: Math.max(one.highest, other.highest) };
}

/** Where nothing can be decided, a status keeps the count that it had. A status of a decision has none of those. */
function countsOf(decision: Decision, status: StoredHpaStatus): Counts | undefined {
  const isFailed = hasFailed(decision);
  if (isFailed && isActive(status)) return undefined;
  const count = isFailed ? (status.desiredReplicas ?? 0) : desiredOf({ decision });
  return { lowest: count, highest: count };
}

/** No count came of the metrics. */
export function hasFailed({ trace }: Decision): boolean {
  return trace.some((step) => step.kind === "combine" && step.result === undefined);
}

function withCount(input: DecideInput, { currentReplicas = 0 }: StoredHpaStatus): DecideInput {
  const { scale } = input;
  if (!scale.ok || scale.specReplicas === currentReplicas) return input;
  return { ...input, scale: { ...scale, specReplicas: currentReplicas, statusReplicas: currentReplicas } };
}

function withValues(
  input: DecideInput,
  decision: Decision,
  status: StoredHpaStatus,
  end: "lowest" | "highest",
): DecideInput {
  const reason = conditionOf(status, "ScalingActive")?.reason ?? "";
  return metricsOf(decision.trace).reduce((changed, metric) => {
    const theirs = status.currentMetrics?.[metric.index];
    const ours = decision.status.currentMetrics?.[metric.index];
    const isError = theirs === undefined ? reason.startsWith("FailedGet") : theirs.type === "";
    if (isError) return withSamples(changed, metric.index, { error: "the status has no value" });
    if (theirs === undefined) return changed;
    if (metricValue(ours) === metricValue(theirs)) return changed;
    return withValue(changed, metric, theirs, end);
  }, input);
}

function withValue(
  input: DecideInput,
  metric: MetricTrace,
  theirs: MetricStatus,
  end: "lowest" | "highest",
): DecideInput {
  const text = metricValue(theirs);
  const measured = measuredOf(input, metric);
  const value = text.endsWith("%") ? Number(text.slice(0, -1)) : safeMilli(text);
  if (measured === undefined || value === undefined || !Number.isInteger(value)) return input;
  const isDivided = metric.target?.type === "AverageValue" && hasTotal(metric);
  if (!isDivided) return withSamples(input, metric.index, measured.samplesAt(value));
  // The status has the average, rounded up.
  const replicas = Math.max(1, input.scale.ok ? input.scale.statusReplicas : 1);
  const total = end === "highest" ? value * replicas : Math.max(0, (value - 1) * replicas + 1);
  return withSamples(input, metric.index, measured.samplesAt(total));
}

/** A pod that changed so recently may have been pending when the status was written, or not there. */
const youngMs = 120_000;
/** Of pods that became ready within two periods a controller may have seen some. */
const partlyMs = 30_000;
/** By CPU a pod counts only once its sample is a whole window later than its readiness. */
const partlyByCpuMs = 90_000;
/** So many numbers of pods that were not ready yet are tried. */
const maxParts = 10;

interface PodVariant {
  readonly pods: DecideInput["pods"];
  /** Between it and the one before are numbers of pods that are not tried. */
  readonly skipsSome: boolean;
}

function podVariants(
  { pods, nowMs, hpa }: DecideInput,
  { currentReplicas = 0 }: StoredHpaStatus,
): readonly PodVariant[] {
  const now = { pods, skipsSome: false };
  if (!pods.ok) return [now];
  const all = pods.pods.map((pod) => ({ pod, ...changeOf(factsOf(pod)) }));
  const young = all.filter(({ atMs }) => atMs > nowMs - youngMs);
  if (young.length === 0) return [now, ...oldest(all, currentReplicas)];
  const sinceMs = nowMs - (isByCpu(hpa) ? partlyByCpuMs : partlyMs);
  // Which of them does not matter: the values are the status's.
  const ready = young.filter(({ atMs, isReady }) => isReady && atMs > sinceMs);
  const parts = Math.min(maxParts, ready.length);
  const variant = (list: readonly Pod[], skipsSome = false): PodVariant => ({
    pods: { ok: true, pods: list },
    skipsSome,
  });
  const pending = (list: typeof all): readonly Pod[] =>
    withPending(pods.pods, new Set(list.map(({ pod }) => pod)));
  const partly = Array.from({ length: parts }, (_, at) => {
    const count = Math.ceil((ready.length * (at + 1)) / parts);
    return variant(pending(ready.slice(0, count)), ready.length > parts);
  });
  const others = all.filter(({ atMs }) => atMs <= nowMs - youngMs).map(({ pod }) => pod);
  return [now, ...partly, variant(pending(young)), variant(others)];
}

/** Those that there were when the target had fewer. */
function oldest(
  all: readonly { readonly pod: Pod; readonly atMs: number }[],
  count: number,
): readonly PodVariant[] {
  if (count === 0 || count >= all.length) return [];
  const kept = all.toSorted((a, b) => a.atMs - b.atMs).slice(0, count);
  return [{ pods: { ok: true, pods: kept.map(({ pod }) => pod) }, skipsSome: false }];
}

/** Without metrics it is by CPU. */
function isByCpu({ spec }: DecideInput["hpa"]): boolean {
  const metrics: unknown = spec?.metrics ?? [];
  if (!Array.isArray(metrics)) return false;
  const names = (metrics as readonly (MetricSpec | undefined)[]).map(resourceName);
  return names.length === 0 || names.includes("cpu");
}

/** When it started or its readiness changed; what has not started may have changed at any time. */
function changeOf(facts: PodFacts): { readonly atMs: number; readonly isReady: boolean } {
  const { startMs = Infinity, readySinceMs, isRunning, ready } = facts;
  return { atMs: Math.max(startMs, readySinceMs), isReady: isRunning && ready === "True" };
}

function withPending(pods: readonly Pod[], those: ReadonlySet<Pod>): readonly Pod[] {
  return pods.map((pod) => (those.has(pod) ? preparePod({ ...pod, status: { phase: "Pending" } }) : pod));
}
