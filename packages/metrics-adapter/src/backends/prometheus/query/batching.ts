// The cost model of batching: when one query for all objects of a namespace is cheaper than those that it replaces.
import { createHash } from "node:crypto";
import { type CacheMeter, createBoundedCache, detached } from "@plimsoll/component-base";

/**
 * Decides whether one batched query replaces exact ones. It does when it costs less than those that are expected while
 * its result may be given.
 */
export interface Batching {
  /** Records that a part of the batched query's result is wanted. */
  shouldBatch(promql: string, part: WantedPart): boolean;
  /** The batched query gave a result of this size. */
  succeeded(promql: string, size: BatchSize): void;
  /** The batched query failed: exact queries are used for a while. */
  failed(promql: string): void;
}

export interface WantedPart {
  /** Identifies the part: a name or a selector. */
  readonly key: string;
  readonly objects: number;
}

export interface BatchSize {
  readonly objects: number;
  readonly samples: number;
}

interface Batch {
  readonly parts: Map<string, KnownPart>;
  size: BatchSize;
  sizeAtMs: number;
  avoidUntilMs: number;
  /** When it was put into the cache last, and with how many parts. */
  cachedAtMs: number;
  cachedParts: number;
}

interface KnownPart {
  /** Its key, detached from the request. */
  readonly name: string;
  objects: number;
  /** When it was wanted last, and how long that was after the time before. */
  atMs: number;
  gapMs: number;
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
/** Of autoscalers; assumed of whoever came once. */
const USUAL_GAP_MS = 15_000;
/**
 * What a query costs us and Prometheus beside its samples, in samples of a batched query; measured: some 130 µs against
 * 2 for a sample on our side, and some 300 against 7 on Prometheus's.
 */
const QUERY_COST = 60;
/** A sample of an exact query costs more: Prometheus looks its name up. */
const NAMED_SAMPLE_COST = 2;
/** Reading more at once would hold up all other requests for too long; measured: 2 µs for each. */
const MAX_SAMPLES = 4_000;

/** @param maxAgeMs How long a result may be given. */
export function createBatching({
  nowMs,
  maxAgeMs,
  meter,
}: {
  readonly nowMs: () => number;
  readonly maxAgeMs: number;
  readonly meter?: CacheMeter | undefined;
}): Batching {
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
      const current = recordPart(batch, part, now);
      cache(promql, batch);
      if (batch.parts.size < 2 || now < batch.avoidUntilMs) return false;
      if (now - batch.sizeAtMs > ASSUME_MS) return true;
      const { samples } = batch.size;
      return samples <= MAX_SAMPLES && QUERY_COST + samples <= exactCost(batch, current, maxAgeMs);
    },
    succeeded(promql, size) {
      const batch = batches.get(promql) ?? newBatch();
      batch.size = size;
      batch.sizeAtMs = nowMs();
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
    size: { objects: 0, samples: 0 },
    sizeAtMs: Number.NEGATIVE_INFINITY,
    avoidUntilMs: 0,
    cachedAtMs: 0,
    cachedParts: -1,
  };
}

/**
 * What exact queries would cost within the time: one for the current part, and for each that is expected by the times when
 * it came; or as much as those that came within such a time, for who comes unexpectedly.
 */
function exactCost({ parts, size }: Batch, current: KnownPart, withinMs: number): number {
  const samplesOfEach = size.samples / Math.max(1, size.objects);
  let expected = 0;
  let lately = 0;
  for (const part of parts.values()) {
    const cost = QUERY_COST + NAMED_SAMPLE_COST * samplesOfEach * part.objects;
    if (part === current || part.atMs + part.gapMs <= current.atMs + withinMs) expected += cost;
    if (part.atMs >= current.atMs - withinMs) lately += cost;
  }
  return Math.max(expected, lately);
}

/** Adds the part as the latest, and drops the oldest ones. */
function recordPart({ parts }: Batch, { key, objects }: WantedPart, nowMs: number): KnownPart {
  // Callers choose the keys of parts.
  const name = key.length > MAX_KEY_LENGTH ? createHash("sha256").update(key).digest("base64") : key;
  const before = parts.get(name);
  const known = before ?? { name: detached(name), objects, atMs: nowMs, gapMs: USUAL_GAP_MS };
  if (before !== undefined) known.gapMs = nowMs - before.atMs;
  known.objects = objects;
  known.atMs = nowMs;
  parts.delete(known.name);
  parts.set(known.name, known);
  for (const [other, { atMs }] of parts) {
    if (atMs >= nowMs - REMEMBER_MS && parts.size <= MAX_PARTS) break;
    parts.delete(other);
  }
  return known;
}
