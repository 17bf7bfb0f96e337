// Tracks the pod selectors of objects that other shards evaluate, to find selectors that overlap with ours.
import type { Clock, Logger } from "@plimsoll/component-base";
import { createKeyedController, type KeyedController } from "@plimsoll/kube";
import type { Objects } from "../../informers/objects.ts";
import { keyOf, type ScalingObject } from "../../objects/scaling-object.ts";

/** Keeps the selectors of objects that other processes evaluate, which may select the pods of ours. */
export interface ForeignSelectors {
  start(): void;
  stop(): Promise<void>;
  readonly entries: KeyedController["entries"];
}

export interface ForeignSelectorsDeps {
  readonly objects: Pick<Objects, "get" | "list" | "subscribe">;
  readonly owns: (key: string) => boolean;
  /** Whether this process evaluates anything. */
  readonly isActive: () => boolean;
  /** Reads the selector of one object's target into the index. */
  readonly read: (object: ScalingObject) => Promise<void>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Pick<Logger, "debug">;
  readonly periodMs: number;
}

/** Selectors hardly ever change, and the scales of built-in kinds are watched anyway. */
const concurrency = 2;

export function createForeignSelectors(deps: ForeignSelectorsDeps): ForeignSelectors {
  const { objects, owns, clock, random, log, periodMs } = deps;
  const reads = createKeyedController({
    clock,
    random,
    periodMs,
    concurrency,
    async reconcile(key) {
      const object = objects.get(key);
      if (object !== undefined && !owns(key) && deps.isActive()) await deps.read(object);
    },
    onError: (key, error) => log.debug({ hpa: key, err: error }, "could not read a selector"),
  });
  let isRunning = false;
  objects.subscribe(({ type, object, previous }) => {
    const key = keyOf(object);
    if (type === "deleted") {
      reads.lost(key);
      return;
    }
    if (!isRunning) return;
    reads.gained(key);
    if (namesNewTarget(previous, object)) reads.enqueue(key);
  });
  return {
    entries: reads.entries,
    start() {
      isRunning = true;
      for (const object of objects.list()) reads.gained(keyOf(object));
    },
    async stop() {
      isRunning = false;
      await reads.stop();
    },
  };
}

function namesNewTarget(before: ScalingObject | undefined, { spec }: ScalingObject): boolean {
  return JSON.stringify(before?.spec.scaleTargetRef) !== JSON.stringify(spec.scaleTargetRef);
}
