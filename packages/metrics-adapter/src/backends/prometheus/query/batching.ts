// The batching heuristic: when one query for all objects of a namespace replaces many.
import { createHash } from "node:crypto";
import { type CacheMeter, createBoundedCache, detached } from "@plimsoll/component-base";

/**
 * Decides whether one batched query replaces exact ones. It does when several different parts of its result were
 * wanted lately, and together they are not a small share of it.
 */
export interface BatchingHeuristic {
  /** Records that a part of the batched query's result is wanted. */
  shouldBatch(promql: string, part: WantedPart): boolean;
  /** The batched query gave results for so many objects. */
  succeeded(promql: string, objects: number): void;
  /** The batched query failed: exact queries are used for a while. */
  failed(promql: string): void;
}

export interface WantedPart {
  /** Identifies the part: a name or a selector. */
  readonly key: string;
  readonly objects: number;
}

interface Batch {
  readonly parts: Map<string, KnownPart>;
  objects: number;
  objectsAtMs: number;
  avoidUntilMs: number;
  /** When it was put into the cache last, and with how many parts. */
  cachedAtMs: number;
  cachedParts: number;
}

interface KnownPart {
  /** Its key, detached from the request. */
  readonly name: string;
  objects: number;
  atMs: number;
}

/** Two periods of an autoscaler, and some slack: a client that still exists queries within it. */
const REMEMBER_MS = 40_000;
/** How long the size of a batch, or its failure, is assumed to last. */
const ASSUME_MS = 600_000;
/** Longer batched queries are not tracked: exact ones are used. */
const MAX_QUERY_LENGTH = 4_096;
const MAX_BYTES = 8 * 1024 * 1024;
/** More parts than this change no decision. */
const MAX_PARTS = 64;
/** In UTF-16 code units; longer keys are replaced by a digest. */
const MAX_KEY_LENGTH = 128;
const PART_BYTES = 400;
/** An unwanted object costs less than a query of its own: up to so many are accepted for each wanted one. */
const UNWANTED_PER_WANTED = 4;

export function createBatchingHeuristic(nowMs: () => number, meter?: CacheMeter): BatchingHeuristic {
  const batches = createBoundedCache<Batch>({
    name: "batches",
    meter,
    maxBytes: MAX_BYTES,
    maxKeyLength: MAX_QUERY_LENGTH,
    isAgeLoose: true,
    sizeOf: ({ parts }) => 200 + PART_BYTES * parts.size,
    ttlMs: ASSUME_MS,
    nowMs,
  });

  /** Its size in the cache follows its parts; its age must not end it while it is used. */
  const cache = (promql: string, batch: Batch): void => {
    const ageMs = nowMs() - batch.cachedAtMs;
    if (batch.cachedParts >= batch.parts.size && ageMs >= 0 && ageMs < ASSUME_MS / 2) return;
    batch.cachedAtMs = nowMs();
    batch.cachedParts = batch.parts.size;
    batches.set(promql, batch);
  };

  return {
    shouldBatch(promql, part) {
      const now = nowMs();
      const batch = batches.get(promql) ?? newBatch();
      recordPart(batch, part, now);
      cache(promql, batch);
      if (batch.parts.size < 2 || now < batch.avoidUntilMs) return false;
      if (now - batch.objectsAtMs > ASSUME_MS) return true;
      let wanted = 0;
      for (const { objects } of batch.parts.values()) wanted += objects;
      return wanted * UNWANTED_PER_WANTED >= batch.objects;
    },
    succeeded(promql, objects) {
      const batch = batches.get(promql) ?? newBatch();
      batch.objects = objects;
      batch.objectsAtMs = nowMs();
      cache(promql, batch);
    },
    failed(promql) {
      const batch = batches.get(promql) ?? newBatch();
      batch.avoidUntilMs = nowMs() + ASSUME_MS;
      cache(promql, batch);
    },
  };
}

function newBatch(): Batch {
  return {
    parts: new Map(),
    objects: 0,
    objectsAtMs: -ASSUME_MS,
    avoidUntilMs: 0,
    cachedAtMs: 0,
    cachedParts: -1,
  };
}

/** Adds the part as the latest, and drops the oldest ones. */
function recordPart({ parts }: Batch, { key, objects }: WantedPart, nowMs: number): void {
  // Callers choose the keys of parts.
  const name = key.length > MAX_KEY_LENGTH ? createHash("sha256").update(key).digest("base64") : key;
  const known = parts.get(name) ?? { name: detached(name), objects, atMs: nowMs };
  known.objects = objects;
  known.atMs = nowMs;
  parts.delete(known.name);
  parts.set(known.name, known);
  for (const [other, { atMs }] of parts) {
    if (atMs >= nowMs - REMEMBER_MS && parts.size <= MAX_PARTS) break;
    parts.delete(other);
  }
}
