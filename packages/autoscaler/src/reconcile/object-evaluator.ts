// Enqueues the evaluation of objects that this process owns, when they change.
import { isDeepStrictEqual } from "node:util";
import type { Change } from "@plimsoll/kube";
import type { Objects } from "../informers/objects.ts";
import type { Ownership } from "../leadership/coordination.ts";
import { isSameSpec, keyOf, periodOf, type ScalingObject } from "../objects/scaling-object.ts";
import type { Runs } from "./evaluation-controller.ts";

/** Evaluates the objects that are this process's: by period, and at once those that are new or edited. */
export type ObjectEvaluator = ReturnType<typeof createObjectEvaluator>;

/** Follows the objects, for all that keeps something of each of them. */
export interface ObjectListener {
  /** Added or changed; also an object of another process. */
  readonly onChange: (object: ScalingObject, previous: ScalingObject | undefined) => void;
  /** The object is gone, or another process's: this one reports nothing of it any more. */
  readonly onReleased: (key: string) => void;
  readonly onLost: (key: string) => void;
  readonly onDeleted: (key: string) => void;
  /** How long ago this process last decided about the object; undefined: not since it started. */
  readonly decidedAgoMs: (key: string) => number | undefined;
}

export interface ObjectEvaluatorDeps extends Ownership {
  readonly objects: Objects;
  readonly runs: Runs;
  readonly listener: ObjectListener;
}

export function createObjectEvaluator(deps: ObjectEvaluatorDeps) {
  const { objects, owns, has, runs, listener } = deps;
  let isRunning = false;
  objects.subscribe((change) => {
    followChange(change, deps);
    if (isRunning && change.type !== "deleted") runChanged(change, deps);
  });
  return {
    /** Between start and stop. */
    get isRunning() {
      return isRunning;
    },
    start(): void {
      isRunning = true;
      // What is there at the start waits for its period: ten thousand at once would be a burst.
      for (const object of objects.list())
        if (has(keyOf(object))) runs.gained(keyOf(object), periodOf(object));
    },
    async stop(): Promise<void> {
      isRunning = false;
      await runs.stop();
    },
    /** Evaluates every object once. */
    evaluateAll: (): Promise<void> => runs.runAll(objects.list().map(keyOf).filter(owns)),
    /** Evaluates one object as soon as possible. */
    enqueue(key: string): void {
      if (isRunning && has(key)) runs.enqueue(key);
    },
    /** The objects that pass the test are this process's from now on. */
    gained(isMine: (key: string) => boolean): void {
      if (!isRunning) return;
      for (const object of objects.list()) {
        const key = keyOf(object);
        if (isMine(key)) runs.gained(key, periodOf(object), firstOf(object, deps));
      }
    },
    /** They are not any more. */
    lost(wasMine: (key: string) => boolean): void {
      for (const key of objects.list().map(keyOf).filter(wasMine)) {
        release(key, deps);
        listener.onLost(key);
      }
    },
  };
}

function followChange({ type, object, previous }: Change<ScalingObject>, deps: ObjectEvaluatorDeps): void {
  if (type !== "deleted") {
    deps.listener.onChange(object, previous);
    return;
  }
  const key = keyOf(object);
  release(key, deps);
  deps.listener.onDeleted(key);
}

function runChanged(
  { type, object, previous }: Change<ScalingObject>,
  { has, runs }: ObjectEvaluatorDeps,
): void {
  const key = keyOf(object);
  if (!has(key)) return;
  const isNew = type === "added" || (previous !== undefined && isEdited(previous, object));
  runs.gained(key, periodOf(object), isNew ? "event" : undefined);
}

function release(key: string, { runs, listener }: ObjectEvaluatorDeps): void {
  runs.lost(key);
  listener.onReleased(key);
}

/** Now, unless this process lost the object for less than the rest of a period: a target may not double twice in it. */
function firstOf(object: ScalingObject, { listener, runs }: ObjectEvaluatorDeps): "periodic" | number {
  const agoMs = listener.decidedAgoMs(keyOf(object)) ?? Number.POSITIVE_INFINITY;
  const restMs = (periodOf(object) ?? runs.periodMs) - agoMs;
  return restMs > 0 ? restMs : "periodic";
}

/** A change that wants a decision at once: of the specification, of who manages, or of the object itself. */
export function isEdited(before: ScalingObject, after: ScalingObject): boolean {
  return (
    before.metadata.uid !== after.metadata.uid ||
    !isDeepStrictEqual(before.metadata.annotations, after.metadata.annotations) ||
    !isSameSpec(before, after)
  );
}
