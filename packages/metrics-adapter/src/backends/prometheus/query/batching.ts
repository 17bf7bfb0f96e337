// The cost model of batching: when one query for all objects of a namespace is cheaper than those that it replaces.
import { createHash } from "node:crypto";
import { type CacheMeter, createBoundedCache, detached } from "@plimsoll/component-base";

/**
 * Decides whether one batched query replaces exact ones. It does when it costs less than those that are expected while
 * its result may be given, or cost less the last time.
 */
export type Batching = ReturnType<typeof createBatching>;

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
  /** When a part was wanted last. */
  lastMs: number;
  /** When one was last wanted at another time than it was expected. */
  unexpectedAtMs: number;
  /** When a batched query was chosen last, and what exact ones would have cost in its place. */
  sentAtMs: number;
  saved: number;
  /** When it was put into the cache last, and with how many parts. */
  cachedAtMs: number;
  cachedParts: number;
}

interface KnownPart {
  /** Its key, detached from the request. */
  readonly name: string;
  objects: number;
  /** When it was wanted last, how long that was after the time before, and that after the one before it. */
  atMs: number;
  gapMs: number;
  formerGapMs: number;
}

/** Two periods of an autoscaler, and some slack: a client that still exists queries within it, where others do. */
const REMEMBER_MS = 40_000;
/** How long the size of a batch, or its failure, is assumed to last. */
const ASSUME_MS = 600_000;
/** Longer batched queries are not tracked: exact ones are used. */
const MAX_QUERY_LENGTH = 4_096;
const MAX_BYTES = 8 * 1024 * 1024;
/** In UTF-16 code units; longer keys are replaced by a digest. */
const MAX_KEY_LENGTH = 128;
const PART_BYTES = 400;
/** Of autoscalers; assumed of whoever came once. */
const USUAL_GAP_MS = 15_000;
/** By which part of its gap a request may come early or late: periods of autoscalers vary by less. */
const TOLERANCE = 0.05;
/**
 * What a query costs us and Prometheus beside its samples, in samples of a batched query; measured: some 130 µs against
 * 2 for a sample on our side, and some 300 against 7 on Prometheus's.
 */
const QUERY_COST = 60;
/** A sample of an exact query costs more: Prometheus looks its name up. */
const NAMED_SAMPLE_COST = 2;
/** Reading more at once would hold up all other requests for too long; measured: 2 µs for each. */
const MAX_SAMPLES = 4_000;
/** Exact queries of so many parts cost more than the largest batch: more change no decision. */
const MAX_PARTS = Math.ceil((QUERY_COST + MAX_SAMPLES) / QUERY_COST);

/** @param maxAgeMs How long a result may be given. */
export function createBatching({
  nowMs,
  maxAgeMs,
  meter,
}: {
  readonly nowMs: () => number;
  readonly maxAgeMs: number;
  readonly meter?: CacheMeter | undefined;
}) {
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
    /** Records that a part of the batched query's result is wanted. */
    shouldBatch(promql: string, part: WantedPart): boolean {
      const now = nowMs();
      const batch = batches.get(promql) ?? newBatch();
      const current = recordPart(batch, part, now);
      cache(promql, batch);
      if (batch.parts.size < 2 || now < batch.avoidUntilMs) return false;
      const isWorthIt = now - batch.sizeAtMs > ASSUME_MS || isCheaper(batch, current, maxAgeMs);
      recordSaving(batch, current, { isWorthIt, maxAgeMs });
      return isWorthIt;
    },
    /** The batched query gave a result of this size. */
    succeeded(promql: string, size: BatchSize): void {
      const batch = batches.get(promql) ?? newBatch();
      batch.size = size;
      batch.sizeAtMs = nowMs();
      cache(promql, batch);
    },
    /** The batched query failed: exact queries are used for a while. */
    failed(promql: string): void {
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
    lastMs: Number.POSITIVE_INFINITY,
    unexpectedAtMs: Number.NEGATIVE_INFINITY,
    sentAtMs: Number.NEGATIVE_INFINITY,
    saved: 0,
    cachedAtMs: 0,
    cachedParts: -1,
  };
}

/** Whether a batched query costs less than exact ones, or did so the last time. */
function isCheaper(batch: Batch, current: KnownPart, withinMs: number): boolean {
  const { samples } = batch.size;
  const cost = QUERY_COST + samples;
  return samples <= MAX_SAMPLES && (cost <= batch.saved || cost <= exactCost(batch, current, withinMs));
}

/**
 * What exact queries would cost within the time: one for the current part, and for each that is expected by the times when
 * it came; or as much as those that came within such a time, for who comes unexpectedly. Where one came at another time
 * than it was expected, all are: what made it come, such as the restart of an autoscaler, makes the others come too.
 */
function exactCost(batch: Batch, current: KnownPart, withinMs: number): number {
  const isBurst = isWithin(withinMs, batch.unexpectedAtMs, current.atMs);
  let expected = 0;
  let lately = 0;
  for (const part of batch.parts.values()) {
    const cost = costOf(part, batch);
    if (isBurst || part === current || part.atMs + part.gapMs <= current.atMs + withinMs) expected += cost;
    if (part.atMs >= current.atMs - withinMs) lately += cost;
  }
  return Math.max(expected, lately);
}

/** Of an exact query. */
function costOf({ objects }: KnownPart, { size }: Batch): number {
  return QUERY_COST + (NAMED_SAMPLE_COST * size.samples * objects) / Math.max(1, size.objects);
}

/** Adds up the exact queries in whose place the last batched one was given. */
function recordSaving(
  batch: Batch,
  current: KnownPart,
  { isWorthIt, maxAgeMs }: { readonly isWorthIt: boolean; readonly maxAgeMs: number },
): void {
  if (isWithin(maxAgeMs, batch.sentAtMs, current.atMs)) {
    if (current.atMs - current.gapMs < batch.sentAtMs) batch.saved += costOf(current, batch);
  } else if (isWorthIt) {
    batch.sentAtMs = current.atMs;
    batch.saved = costOf(current, batch);
  }
}

function isWithin(durationMs: number, fromMs: number, atMs: number): boolean {
  return atMs >= fromMs && atMs - fromMs <= durationMs;
}

/** Adds the part as the latest, and drops those that did not come while others did. */
function recordPart(batch: Batch, { key, objects }: WantedPart, nowMs: number): KnownPart {
  const { parts } = batch;
  // Callers choose the keys of parts.
  const name = key.length > MAX_KEY_LENGTH ? createHash("sha256").update(key).digest("base64") : key;
  const before = parts.get(name);
  const known = before ?? newPart(detached(name));
  if (before !== undefined) {
    const gapMs = nowMs - before.atMs;
    if (isUnexpected(gapMs, before)) batch.unexpectedAtMs = nowMs;
    known.formerGapMs = before.gapMs;
    known.gapMs = gapMs;
  }
  // After a pause of all, all are expected.
  const lastMs = Math.min(nowMs, batch.lastMs);
  batch.lastMs = nowMs;
  known.objects = objects;
  known.atMs = nowMs;
  parts.delete(known.name);
  parts.set(known.name, known);
  for (const [other, { atMs }] of parts) {
    if (atMs >= lastMs - REMEMBER_MS && parts.size <= MAX_PARTS) break;
    parts.delete(other);
  }
  return known;
}

/** Whether the gap differs more from the last two than these from each other: two clients of a part take turns. */
function isUnexpected(gapMs: number, { gapMs: last, formerGapMs: former }: KnownPart): boolean {
  const [short, long] = [Math.min(last, former), Math.max(last, former)];
  const slack = TOLERANCE * short + long - short;
  return gapMs < short - slack || gapMs > long + slack;
}

function newPart(name: string): KnownPart {
  return { name, objects: 0, atMs: 0, gapMs: USUAL_GAP_MS, formerGapMs: USUAL_GAP_MS };
}
