// Invariant: whatever other clients do to the replicas of a target, its object goes on to be managed.
import { configOf } from "../autoscaler/flags.ts";
import type { CreateInvariant, Observed, Outcome } from "../run/world.ts";
import { createCalm, deliveredMs } from "./calm.ts";
import {
  type Decided,
  isActive,
  isByBounds,
  keyOfDecided,
  storedOfDecided,
  targetOfDecided,
} from "./decisions.ts";
import { isAutoscaler, type TargetKey, targetOfPath } from "./names.ts";
import { periodMsOf } from "./periods.ts";

/** These change replicas and objects, and leave the processes alone. */
const usersFaults =
  /^(replicas-|workload-scaled|workload-applied|object-edited|object-applied|bounds-edited)/;
/** A write waits for the budget, and requests take their time. */
const slackMs = 30_000;
/** Writes that are undone each time come at growing intervals, up to this. */
export const maxBackoffMs = 300_000;

/** What a process wants of a target since it last sent the replicas. */
interface Wanted {
  readonly process: string;
  readonly sinceMs: number;
}

/**
 * A target below its minimum is written within two periods, and again after each time that it is undone. Other replicas that
 * are wanted all the time are written within the longest backoff.
 */
export const replicasAreKept: CreateInvariant = (world) => {
  const { time, scenario } = world;
  const calm = createCalm(world, { ignored: usersFaults, sudden: /./ });
  const disputed = disputedTargets(scenario.setup.objects);
  const wanted = { below: new Map<TargetKey, Wanted>(), any: new Map<TargetKey, Wanted>() };

  function want(of: Map<TargetKey, Wanted>, target: TargetKey, process: string): number {
    const known = of.get(target);
    if (known?.process === process) return time.nowMs - known.sinceMs;
    of.set(target, { process, sinceMs: time.nowMs });
    return 0;
  }

  function ofDecision(decided: Decided): Outcome {
    const target = targetOfDecided(decided);
    const { process, input, result } = decided;
    const { scale } = input;
    const { scaleTo } = result.decision;
    if (!isActive(decided) || scaleTo === undefined || !scale.ok || disputed.has(target)) {
      forget(target);
      return undefined;
    }
    const { specReplicas } = scale;
    const isBelow = specReplicas > 0 && scaleTo > specReplicas && isByBounds(decided);
    if (!isBelow) wanted.below.delete(target);
    const belowMs = isBelow ? want(wanted.below, target, process) : 0;
    const wantedMs = want(wanted.any, target, process);
    const settledMs = calm.forMs() - deliveredMs;
    const stored = storedOfDecided(world, decided);
    if (settledMs < 0 || stored === undefined) return undefined;
    const withinMs = 2 * periodMsOf(stored, configOf(world, process).syncPeriodMs) + slackMs;
    if (Math.min(settledMs, belowMs) > withinMs)
      return `${process} leaves the target of ${keyOfDecided(decided)} below its minimum for ${String(belowMs)} ms`;
    return Math.min(settledMs, wantedMs) > maxBackoffMs + withinMs
      ? `${process} has not written the replicas that it wants of ${keyOfDecided(decided)} for ${String(wantedMs)} ms`
      : true;
  }

  function forget(target: TargetKey): void {
    wanted.below.delete(target);
    wanted.any.delete(target);
  }

  function ofRequest({ request }: Observed<"sent">): void {
    if (request.method === "GET" || !isAutoscaler(request.caller)) return;
    const target = targetOfPath(request.path);
    if (target !== undefined) forget(target);
  }

  return {
    name: "replicas-are-kept",
    observe(observation) {
      calm.observe(observation);
      if (observation.kind === "sent") ofRequest(observation);
      return observation.kind === "decided" ? ofDecision(observation) : undefined;
    },
  };
};

/** Targets that several objects name: none of these scales them. */
function disputedTargets(
  objects: readonly { readonly metadata: { readonly namespace?: string } }[],
): ReadonlySet<TargetKey> {
  const seen = new Set<TargetKey>();
  const disputed = new Set<TargetKey>();
  for (const object of objects) {
    const { spec, metadata } = object as {
      readonly metadata: { readonly namespace?: string };
      readonly spec?: { readonly scaleTargetRef?: { readonly kind: string; readonly name: string } };
    };
    if (spec?.scaleTargetRef === undefined) continue;
    const { kind, name } = spec.scaleTargetRef;
    const target = `${metadata.namespace ?? "default"}/${kind}/${name}`;
    if (seen.has(target)) disputed.add(target);
    seen.add(target);
  }
  return disputed;
}
