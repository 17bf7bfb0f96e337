// Observe, the first step of an evaluation: reads the object, its target's scale, pods and samples.
import { type Clock, steadyNowMs } from "@plimsoll/component-base";
import type { DecideInput } from "@plimsoll/core";
import {
  countsPods,
  type GatherDeps,
  type Gathered,
  gather,
  isGatheredFor,
  type ObservedObject,
  podsFor,
  type ScaleTarget,
  type Share,
} from "@plimsoll/observe";
import type { FieldWriter } from "../objects/field-writer.ts";
import {
  isWlaKey,
  keyOf,
  namespaceOf,
  periodOf,
  type ScalingObject,
  wlaOf,
} from "../objects/scaling-object.ts";
import { isOverwritten } from "./conflicts/foreign-writer.ts";
import type { ScaleTargetIndex } from "./conflicts/scale-target-index.ts";
import type { CurrentObject, ReadCurrent } from "./current-object.ts";
import type { States } from "./remember/state.ts";

/** All that an evaluation sees of one object and its target. */
export interface Observation
  extends Pick<CurrentObject, "stored" | "object" | "state" | "isReclaimed">,
    Omit<Gathered, "selector" | "isWithoutMetrics"> {
  readonly key: string;
  /** When the observation began and ended. */
  readonly startedMs: number;
  readonly nowMs: number;
  readonly pods: DecideInput["pods"];
  /** Which pod may be missing from those that are counted, and why. */
  readonly unreadPod: string | undefined;
  /** Objects that name the same target. */
  readonly conflictingObjects: readonly string[];
  /** Who wrote the target's replicas last; read only where it matters. */
  readonly replicasWriter: FieldWriter | undefined;
  /** No pass follows: what others change meanwhile is no reason to observe once more. */
  readonly isLastPass: boolean;
}

/** Which pods of a namespace are known. */
export interface PodsKnown {
  /** Why none are. */
  problem(namespace: string): string | undefined;
  /** Which pod cannot be read, and why. */
  unread(namespace: string): string | undefined;
}

export interface ObserveDeps {
  readonly readCurrent: ReadCurrent;
  readonly states: Pick<States, "update">;
  readonly gather: GatherDeps;
  readonly scaleTargets: Pick<ScaleTargetIndex, "conflictingWith" | "has">;
  readonly readReplicasWriter: (target: ScaleTarget, namespace: string) => Promise<FieldWriter | undefined>;
  readonly podsKnown: PodsKnown;
  readonly clock: Clock;
  readonly periodMs: number;
  /** Aborted when the process stops: a query that was cut short is no missing metric. */
  readonly signal: AbortSignal;
}

/**
 * Observes one object. "gone": there is nothing to evaluate. "edited": the metrics or the target of the specification
 * changed meanwhile, so that what was read belongs to another specification; or we began or ceased to manage the object.
 */
export async function observe(
  key: string,
  pass: { readonly share: Share; readonly isLast: boolean },
  deps: ObserveDeps,
): Promise<Observation | "gone" | "edited"> {
  const startedMs = deps.clock.nowMs();
  const before = deps.readCurrent(key);
  if (before === undefined) return "gone";
  const requested = observedObject(before.object);
  const isManaged = before.mode === "active";
  const gathered = await gather(
    requested,
    {
      share: pass.share,
      conflictingObjects: isManaged ? deps.scaleTargets.conflictingWith(key) : [],
      conflicts: conflictTest(before, deps),
    },
    deps.gather,
  );
  const replicasWriter = await writerOf(gathered, before, deps);
  const now = deps.readCurrent(key);
  if (now === undefined || now.state.term !== before.state.term || deps.signal.aborted) return "gone";
  const isCurrent =
    (now.mode === "active") === isManaged &&
    isGatheredForObject(now.object, { requested, gathered, options: deps.gather.options });
  if (!isCurrent && !pass.isLast) return "edited";
  // What was read for one specification is never decided by another; after too many edits the older one counts.
  const { stored, object } = isCurrent ? now : before;
  const state = { ...now.state, decidedAtMs: steadyNowMs(deps.clock) };
  // Saved, so that a clock that is set from here on moves what is remembered of this evaluation too.
  deps.states.update(state, () => state);
  return {
    key,
    startedMs,
    nowMs: deps.clock.nowMs(),
    stored,
    object,
    state,
    isReclaimed: now.isReclaimed,
    scale: gathered.scale,
    target: gathered.target,
    pods: readPods(requested, gathered, deps),
    unreadPod:
      !gathered.isWithoutMetrics && countsPods(requested)
        ? deps.podsKnown.unread(requested.namespace)
        : undefined,
    samples: gathered.samples,
    tookMs: gathered.tookMs,
    ambiguousWith: gathered.ambiguousWith,
    conflictingObjects: deps.scaleTargets.conflictingWith(key),
    replicasWriter,
    retryAfterMs: gathered.retryAfterMs,
    isLastPass: pass.isLast,
  };
}

/** Pods that cannot be listed stop what counts them, and nothing else. */
function readPods(
  requested: ObservedObject,
  gathered: Gathered,
  { gather: { pods }, podsKnown }: ObserveDeps,
): DecideInput["pods"] {
  const message = podsKnown.problem(requested.namespace);
  const isStopped = message !== undefined && gathered.selector !== undefined && countsPods(requested);
  return isStopped ? { ok: false, message } : podsFor(requested, gathered, pods);
}

function isGatheredForObject(
  object: ScalingObject,
  read: {
    readonly requested: ObservedObject;
    readonly gathered: Gathered;
    readonly options: GatherDeps["options"];
  },
): boolean {
  const { requested, gathered, options } = read;
  return (
    object.spec === requested.spec ||
    isGatheredFor(gathered, { requested, now: observedObject(object) }, options)
  );
}

/** In shadow an HPA is compared with the built-in controller's decision, which knows HPAs only. */
function conflictTest(
  { mode, object }: CurrentObject,
  { scaleTargets }: ObserveDeps,
): (key: string) => boolean {
  if (mode === "active") return scaleTargets.has;
  return object.kind === "HorizontalPodAutoscaler" ? (key) => !isWlaKey(key) : () => false;
}

/** One more request, so only where the writer matters: to find a foreign writer, or what happened before our time. */
async function writerOf(
  { target }: Gathered,
  { mode, object, state }: CurrentObject,
  deps: ObserveDeps,
): Promise<FieldWriter | undefined> {
  if (mode !== "active" || target === undefined) return undefined;
  const nowMs = deps.clock.nowMs();
  const { replicas } = target.scale.spec;
  const isNew = !state.isManaged && hasBehavior(object);
  const periodMs = periodOf(object) ?? deps.periodMs;
  if (!isNew && !isOverwritten(state, replicas, { nowMs, periodMs })) return undefined;
  if (deps.readCurrent(state.key) === undefined) return undefined;
  return deps.readReplicasWriter(target, namespaceOf(object));
}

/** Only the policies of a behavior count former changes. */
function hasBehavior({ spec }: ScalingObject): boolean {
  return spec.behavior !== undefined && spec.behavior !== null;
}

/** The object as the observe package takes it. */
export function observedObject(object: ScalingObject): ObservedObject {
  const { spec, status } = object;
  const wla = wlaOf(object);
  return {
    spec,
    ...(status === undefined ? {} : { status }),
    key: keyOf(object),
    namespace: namespaceOf(object),
    syncPeriodMs: periodOf(object),
    isWithoutMetrics: wla?.scheduled?.isWithoutMetrics === true,
  };
}
