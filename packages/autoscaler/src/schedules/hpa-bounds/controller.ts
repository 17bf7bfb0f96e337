// Decides when the bounds of which HPA are reconciled.
import { isDeepStrictEqual } from "node:util";
import { type Change, createKeyedController, type KeyedController } from "@plimsoll/kube";
import type { ScalingObject } from "../../objects/scaling-object.ts";
import { meterEntries } from "../../telemetry/entries.ts";
import { createBoundsIndex, hasFinalizer, hpaKey } from "./bounds-index.ts";
import { readerKey } from "./bounds-request.ts";
import { type BoundsContext, type BoundsDeps, boundsContext, forgetBounds } from "./context.ts";
import { boundsOf } from "./live-hpa.ts";
import { reconcileBounds } from "./reconcile.ts";

const retryBackoff = { baseMs: 15_000, maxMs: 300_000 } as const;
const concurrency = 10;

/** Lets the bounds of HPAs follow the schedules of the WorkloadAutoscalers that point to them. */
export function createBoundsController(deps: BoundsDeps) {
  const { hpas, wlas, owns, has, log } = deps;
  const index = createBoundsIndex(deps);
  const context = boundsContext(deps, index);
  let isRunning = false;
  const controller = createKeyedController({
    ...deps,
    concurrency,
    backoff: retryBackoff,
    reconcile: (key, signal) => reconcileBounds(key, () => !signal.aborted && owns(key), context),
    onError: (key, error) =>
      log.error({ hpa: key, err: error }, "changing limits crashed; other objects are not affected"),
  });
  meterBounds(context, controller, deps.meter);
  const enqueue = (key: string): void => {
    if (isRunning && has(key)) controller.enqueue(key);
  };
  const enqueueAll = (): void => {
    for (const key of index.keys()) enqueue(key);
  };
  const forget = (key: string): void => {
    controller.lost(key);
    forgetBounds(context, key);
  };

  hpas.subscribe((change) => {
    const key = hpaKey(change.object);
    if (change.type === "deleted") forget(key);
    if (areBoundsNews(change) && (isMoved(change) || index.isTargeted(key))) enqueue(key);
  });
  wlas.subscribe((change) => {
    if (change.type === "deleted") context.reader.drop(readerKey(change.object));
    if (isRequestNews(change)) for (const key of index.concernedBy(change)) enqueue(key);
  });

  return {
    start(): void {
      isRunning = true;
      enqueueAll();
    },
    async stop(): Promise<void> {
      isRunning = false;
      await controller.stop();
    },
    /** Some HPAs became this process's. */
    gained: enqueueAll,
    /** Some are not any more. */
    lost(): void {
      for (const key of index.keys()) if (!has(key)) forget(key);
    },
  };
}

function meterBounds(
  { disputes, dueMs, index, reader }: BoundsContext,
  controller: Pick<KeyedController, "entries">,
  meter: BoundsDeps["meter"],
): void {
  meterEntries(meter, "bounds", { ...index.entries, due: dueMs, disputes: disputes.entries });
  meterEntries(meter, "bounds_runs", controller.entries);
  meterEntries(meter, "schedules", { read: reader.entries });
}

function isMoved({ object, previous }: Change<ScalingObject>): boolean {
  return [object, previous].some((hpa) => hpa !== undefined && boundsOf(hpa).hasAnnotation);
}

/** A status that changed says nothing about bounds. */
function areBoundsNews({ type, object, previous }: Change<ScalingObject>): boolean {
  if (type !== "modified" || previous === undefined) return true;
  return (
    object.metadata.uid !== previous.metadata.uid || !isDeepStrictEqual(boundsOf(object), boundsOf(previous))
  );
}

/** Nor does one of a WorkloadAutoscaler. */
function isRequestNews({ type, object, previous }: Change<ScalingObject>): boolean {
  if (type !== "modified" || previous === undefined) return true;
  const [a, b] = [object.metadata, previous.metadata];
  return (
    a.uid !== b.uid ||
    a.generation !== b.generation ||
    a.deletionTimestamp !== b.deletionTimestamp ||
    hasFinalizer(object) !== hasFinalizer(previous)
  );
}
