// What an autoscaler would do from a recorded decision on: the load goes on as it was, or as it is said to change.
import { type DecideInput, type Decision, type DecisionRecord, decide } from "@plimsoll/core";
import { defaultHpa } from "@plimsoll/core/api";
import { createProjectedPods } from "./pods.ts";
import { createProjectedSamples, type MetricChange } from "./samples.ts";

/** How it goes on. */
export interface ProjectOptions {
  readonly forMs: number;
  readonly periodMs: number;
  /** From the creation of a pod until it is Ready and has a value. */
  readonly readyAfterMs: number;
  /** "constant-total": pods share the load. "constant-per-pod": each has what pods have now. */
  readonly load: "constant-total" | "constant-per-pod";
  readonly changes: readonly MetricChange[];
}

/** One decision. */
export interface ProjectedStep {
  readonly atMs: number;
  readonly replicas: number;
  readonly desired: number;
  readonly decision: Decision;
}

/** The decisions in time, and what was taken to be so. */
export interface Projection {
  readonly steps: readonly ProjectedStep[];
  /** Names of changes that no metric has: they changed nothing. */
  readonly unknownMetrics: readonly string[];
  /** Names of its metrics. */
  readonly metrics: readonly string[];
  readonly notes: readonly string[];
}

/** As in scenarios. Each pod is an object of each step. */
const maxPods = 10_000;

/** Decides again and again from the record on, with what the record remembers. A record without a scale has no steps. */
export function project(record: DecisionRecord, options: ProjectOptions): Projection {
  const { input, result, applied } = record;
  const { scale } = input;
  const samples = createProjectedSamples(input.samples, defaultHpa(input.hpa).spec.metrics ?? [], options);
  const named = { unknownMetrics: samples.unknown, metrics: samples.names };
  if (!scale.ok) return { ...named, steps: [], notes: [`cannot read the scale: ${scale.message}`] };
  const { decision } = result;
  const startMs = input.nowMs;
  const wasScaled = applied.outcome === "scaled";
  const pods = createProjectedPods(input.pods, startMs, options.readyAfterMs);
  let replicas = wasScaled ? (decision.scaleTo ?? decision.currentReplicas) : decision.currentReplicas;
  let { memory } = result;
  let hpa: DecideInput["hpa"] = { ...input.hpa, status: decision.status };
  const steps: ProjectedStep[] = [];
  const endMs = replicas > maxPods ? startMs : startMs + options.forMs;
  if (replicas <= maxPods) pods.scaleTo(replicas, startMs);
  for (let atMs = startMs + options.periodMs; atMs <= endMs; atMs += options.periodMs) {
    const now: DecideInput = {
      ...input,
      nowMs: atMs,
      hpa,
      scale: { ...scale, specReplicas: replicas, statusReplicas: replicas },
      pods: pods.reading(atMs),
      samples: samples.at(atMs, { startMs, replicas, sampled: pods.sampled(atMs) }),
    };
    const made = decide(now, memory);
    const desired = made.decision.scaleTo ?? replicas;
    steps.push({ atMs, replicas, desired, decision: made.decision });
    memory = made.memory;
    hpa = { ...hpa, status: made.decision.status };
    if (desired > maxPods) break;
    if (desired !== replicas) pods.scaleTo(desired, atMs);
    replicas = desired;
  }
  const isTooMany = Math.max(replicas, steps.at(-1)?.desired ?? 0) > maxPods;
  const tooMany = `stopped here: more than ${maxPods} pods would be needed`;
  return { ...named, steps, notes: [...samples.notes, ...notesOf(input), ...(isTooMany ? [tooMany] : [])] };
}

function notesOf({ schedules, pods, mode }: DecideInput): readonly string[] {
  return [
    ...(schedules === undefined ? [] : ["schedules stay as they were in the record"]),
    ...(pods.ok ? [] : [`cannot read the pods: ${pods.message}`]),
    ...(mode === undefined || mode === "Active" ? [] : [`mode ${mode}: the target isn't scaled`]),
  ];
}
