// Invariant: only the process that owns an object serves its decisions.
import type { CreateInvariant, Outcome } from "../run/world.ts";
import { type Decided, keyOfDecided } from "./decisions.ts";

/** A process that was stopped or paused may be late by so much. */
const settleMs = 60_000;

/** Once a process has decided on an object for a while, no other one that lives still serves former decisions on it. */
export const oneReport: CreateInvariant = ({ autoscalers, processes, time }) => {
  /** By object, who has decided on it, and since when. */
  const deciders = new Map<string, { process: string; sinceMs: number; lookedMs: number }>();
  const disturbedMs = new Map<string, number>();
  return {
    name: "one-report",
    observe(observation) {
      if (observation.kind === "process") disturbedMs.set(observation.process, time.nowMs);
      return observation.kind === "decided" && isDue(observation) ? ofDecision(observation) : undefined;
    },
  };

  /** Looks once in a while, at an object that has had one owner for a while. */
  function isDue(decided: Decided): boolean {
    const { process } = decided;
    const { nowMs } = time;
    const key = keyOfDecided(decided);
    const known = deciders.get(key);
    if (known?.process !== process) {
      deciders.set(key, { process, sinceMs: nowMs, lookedMs: nowMs });
      return false;
    }
    if (nowMs - known.sinceMs < settleMs || nowMs - known.lookedMs < settleMs) return false;
    known.lookedMs = nowMs;
    return true;
  }

  function ofDecision(decided: Decided): Outcome {
    const { kind, metadata: { namespace = "", name = "" } = {} } = decided.input.hpa;
    const key = keyOfDecided(decided);
    const plural = kind === "WorkloadAutoscaler" ? "workloadautoscalers" : "horizontalpodautoscalers";
    for (const [other, { decisions, owns }] of autoscalers) {
      if (other === decided.process || processes.get(other)?.state !== "running" || owns(key)) continue;
      if (time.nowMs - (disturbedMs.get(other) ?? 0) < settleMs) continue;
      if (decisions.of(namespace, name, plural).length > 0)
        return `${other} serves decisions on ${key}, which ${decided.process} owns`;
    }
    return true;
  }
};
