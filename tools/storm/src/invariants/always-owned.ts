// Invariant: no object is without an owner for longer than leases take to expire.
import { configOf } from "../autoscaler/flags.ts";
import { coordinationKind } from "../faults/coordination-changes.ts";
import type { CreateInvariant, Observation, World } from "../run/world.ts";
import { createCalm } from "./calm.ts";
import { ownedKeys } from "./one-owner.ts";

/** Users change objects and workloads, and these rolling updates change who owns what. */
const harmless =
  /^(object-|hpa-released|workload-|rollout|replicas-|other-controller|bounds-edited|crowd-|pod-|coordination-changed|prometheus-|scrapes-|values-|counters-)/;
/** Looked at so often. */
const everyMs = 1000;
/** A process starts, and its requests take their time. */
const slackMs = 10_000;

/**
 * With nothing but users, and updates that change the number of shards or bring a leader: the lease of the former processes
 * expires, then shards that were never divided are unused for two of their leases, and all of that within a period more.
 */
export const alwaysOwned: CreateInvariant = (world) => {
  const { autoscalers, scenario, time } = world;
  const name = "always-owned";
  if (scenario.setup.coordination === "alone") return { name };
  const calm = createDisturbances(world);
  const keys = ownedKeys(scenario.setup);
  const ownedMs = new Map<string, number>();
  let lookedMs = time.nowMs;
  return {
    name,
    observe(observation) {
      calm.observe(observation);
      const { nowMs } = time;
      if (nowMs - lookedMs < everyMs) return undefined;
      lookedMs = nowMs;
      const limitMs = boundMs(world);
      const calmMs = calm.forMs();
      for (const key of keys) {
        if (isOwned(key)) ownedMs.set(key, nowMs);
        const withoutMs = Math.min(calmMs, nowMs - (ownedMs.get(key) ?? Number.NEGATIVE_INFINITY));
        if (withoutMs > limitMs)
          return `no process has owned ${key} for ${String(withoutMs)} ms; ${String(limitMs)} ms may pass`;
      }
      return calmMs > limitMs ? true : undefined;
    },
  };

  function isOwned(key: string): boolean {
    for (const autoscaler of autoscalers.values()) if (autoscaler.owns(key)) return true;
    return false;
  }
};

/** As calm, but a process that is replaced by an update is no disturbance, unless another update begins meanwhile. */
function createDisturbances(world: World): ReturnType<typeof createCalm> {
  const calm = createCalm(world, { ignored: harmless });
  const updates = new Set<number>();
  let severalMs = Number.NEGATIVE_INFINITY;
  return {
    forMs: () => (updates.size > 1 ? 0 : Math.min(calm.forMs(), world.time.nowMs - severalMs)),
    observe(observation: Observation) {
      if (observation.kind !== "process") calm.observe(observation);
      if (observation.kind !== "fault" || observation.event.kind !== coordinationKind) return;
      if (updates.size > 1) severalMs = world.time.nowMs;
      if (observation.change === "begins") updates.add(observation.event.id);
      else updates.delete(observation.event.id);
    },
  };
}

function boundMs(world: World): number {
  let boundMs = 0;
  for (const name of world.processes.names) {
    if (!name.startsWith("autoscaler-")) continue;
    const { coordination, syncPeriodMs } = configOf(world, name);
    if (coordination.mode === "alone") continue;
    boundMs = Math.max(boundMs, 3 * coordination.leaseDurationMs + syncPeriodMs + slackMs);
  }
  return boundMs;
}
