// Invariant: only the process that owns an object serves its decisions.
import type { CreateInvariant } from "../run/world.ts";

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
      if (observation.kind !== "decided") return undefined;
      const { process, input } = observation;
      const { kind, metadata: { namespace = "", name = "" } = {} } = input.hpa;
      const key = `${namespace}/${kind === "WorkloadAutoscaler" ? "wla:" : ""}${name}`;
      const known = deciders.get(key);
      if (known?.process !== process) {
        deciders.set(key, { process, sinceMs: time.nowMs, lookedMs: time.nowMs });
        return undefined;
      }
      if (time.nowMs - known.sinceMs < settleMs || time.nowMs - known.lookedMs < settleMs) return undefined;
      known.lookedMs = time.nowMs;
      const resource = kind === "WorkloadAutoscaler" ? "workloadautoscalers" : "horizontalpodautoscalers";
      for (const [other, { decisions, owns }] of autoscalers) {
        if (other === process || processes.get(other)?.state !== "running" || owns(key)) continue;
        if (time.nowMs - (disturbedMs.get(other) ?? 0) < settleMs) continue;
        if (decisions.of(namespace, name, resource).length > 0)
          return `${other} serves decisions on ${key}, which ${process} owns`;
      }
      return undefined;
    },
  };
};
