// Invariant: an object has one periodic evaluation in a period at most.
import { wlaDefinition } from "@plimsoll/core/internal/objects";
import type { StoredObject } from "@plimsoll/sandbox";
import { configOf } from "../autoscaler/flags.ts";
import { findLive } from "../objects/live.ts";
import type { CreateInvariant, Outcome, World } from "../run/world.ts";
import { createCalm, deliveredMs } from "./calm.ts";
import { type Decided, isActive, keyOfDecided, storedOfDecided, uidOfDecided } from "./decisions.ts";
import { hpaResource, isAutoscaler, keyOfObject } from "./names.ts";
import { periodMsOf } from "./periods.ts";

/** Objects that come and go, and users: the periods of what they leave alone stay as they are. */
const comingAndGoing =
  /^(crowd-|object-|hpa-released|workload-|replicas-|other-controller|bounds-edited|rollout|pod-)/;
/** An evaluation that is a little late is followed by one that is on time. */
const share = 0.8;

interface Scheduled {
  readonly schedules?: unknown;
  readonly pause?: unknown;
  readonly scaleTargetRef?: { readonly kind?: string; readonly name?: string };
}

interface Evaluated {
  readonly atMs: number;
  readonly decided: Decided;
  /** There was no other reason for it. */
  readonly isPeriodic: boolean;
}

/** Where nothing else is a reason to evaluate: an edit, schedules, replicas that another client changed meanwhile. */
export const onceAPeriod: CreateInvariant = (world) => {
  const { time } = world;
  const calm = createCalm(world, { ignored: comingAndGoing, sudden: /./ });
  const last = new Map<string, Evaluated>();
  const liveOf = findLive(world.scenario.setup);

  function ofDecision(decided: Decided): Outcome {
    const { process } = decided;
    const key = `${process} ${keyOfDecided(decided)}`;
    const before = last.get(key);
    const isPeriodic = before !== undefined && isSame(before.decided, decided);
    last.set(key, { atMs: time.nowMs, decided, isPeriodic });
    if (!isPeriodic || !before.isPeriodic || calm.forMs() < deliveredMs) return undefined;
    const stored = storedOfDecided(world, decided);
    if (stored === undefined || hasSchedules(world, stored)) return undefined;
    const { syncPeriodMs, requestTimeoutMs } = configOf(world, process);
    const periodMs = periodMsOf(stored, syncPeriodMs);
    const betweenMs = time.nowMs - before.atMs;
    // A decision is seen when it ends. One without a value may have begun a request earlier, which then got no response, and
    // one by a live metric may have waited for its first rounds.
    const { namespace = "", name } = stored.metadata;
    const mayWait = isWithoutValue(before.decided) || liveOf(namespace, name) !== undefined;
    const waitedMs = mayWait ? requestTimeoutMs : 0;
    if (betweenMs + waitedMs >= share * periodMs) return true;
    return `${process} evaluates ${keyOfDecided(decided)} again after ${String(betweenMs)} ms; its period is ${String(periodMs)} ms`;
  }

  return {
    name: "once-a-period",
    observe(observation) {
      calm.observe(observation);
      if (observation.kind === "written") {
        const { resource, object } = observation.event;
        const isObject = resource === hpaResource || resource === wlaDefinition;
        if (!isObject || (isAutoscaler(observation.writer) && observation.event.type === "MODIFIED"))
          return undefined;
        const { namespace = "", name } = object.metadata;
        const key = keyOfObject(object.kind ?? "", namespace, name);
        for (const process of world.processes.names) last.delete(`${process} ${key}`);
      }
      if (observation.kind === "logged" && /^objects (gained|lost)$/.test(observation.message)) last.clear();
      return observation.kind === "decided" ? ofDecision(observation) : undefined;
    },
  };
};

/** What is written may have changed meanwhile, and is then looked at once more. */
function isSame(before: Decided, now: Decided): boolean {
  if (isActive(before) && before.result.decision.scaleTo !== undefined) return false;
  const isSameObject =
    uidOfDecided(before) === uidOfDecided(now) &&
    before.input.hpa.metadata?.generation === now.input.hpa.metadata?.generation;
  return isSameObject && before.input.mode === now.input.mode;
}

function isWithoutValue({ result }: Decided): boolean {
  return result.decision.trace.some((step) => step.kind === "metric" && step.error !== undefined);
}

/** Its own, or those of a WorkloadAutoscaler that moves its bounds. */
function hasSchedules({ cluster }: Pick<World, "cluster">, { kind, metadata, spec }: StoredObject): boolean {
  const { schedules, pause } = (spec ?? {}) as Scheduled;
  if (kind !== "HorizontalPodAutoscaler") return schedules !== undefined || pause !== undefined;
  return cluster.store.list(wlaDefinition).some((wla) => {
    const { scaleTargetRef } = (wla.spec ?? {}) as Scheduled;
    const isOfIt = scaleTargetRef?.kind === kind && scaleTargetRef.name === metadata.name;
    return isOfIt && wla.metadata.namespace === metadata.namespace;
  });
}
