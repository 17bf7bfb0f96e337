import type { HpaMemory } from "@plimsoll/core";
import { keyOf, type NativeHpa } from "./native-hpa.ts";

/** Everything that is remembered about one HPA between evaluations, in one place with one end. */
export interface HpaRecord {
  readonly key: string;
  readonly uid: string;
  memory: HpaMemory | undefined;
  /** In shadow: the scale that the other controller is expected to make too, and the memory if it does not. */
  expected: { readonly scaleTo: number; readonly otherwise: HpaMemory } | undefined;
  /** The object as our last status write left it; the watch may be behind it. */
  written: NativeHpa | undefined;
  /** Last failure that was logged; the next one is logged when it differs. */
  lastFailure: string | undefined;
  /** Evaluations in a row that ended in an exception. */
  crashes: number;
  /** No evaluation by schedule before this instant; see `isQuiet`. */
  quietUntilMs: number;
}

export interface HpaRecords {
  /** The record of this very object: a namesake that was created anew starts afresh. */
  of(hpa: NativeHpa): HpaRecord;
  drop(key: string): void;
  readonly size: number;
}

export function createRecords(): HpaRecords {
  const records = new Map<string, HpaRecord>();
  return {
    of(hpa) {
      const key = keyOf(hpa);
      const uid = hpa.metadata.uid ?? "";
      const known = records.get(key);
      if (known?.uid === uid) return known;
      const record: HpaRecord = {
        key,
        uid,
        memory: undefined,
        expected: undefined,
        written: undefined,
        lastFailure: undefined,
        crashes: 0,
        quietUntilMs: 0,
      };
      records.set(key, record);
      return record;
    },
    drop(key) {
      records.delete(key);
    },
    get size() {
      return records.size;
    },
  };
}

const longestQuietMs = 600_000;

/** Leaves an object alone for a time, ten minutes at most. */
export function keepQuiet(record: HpaRecord, nowMs: number, forMs: number): void {
  record.quietUntilMs = nowMs + Math.min(forMs, longestQuietMs);
}

/** A rest longer than any that is ever set means that the clock was set back: it is over. */
export function isQuiet(record: HpaRecord, nowMs: number): boolean {
  const restMs = record.quietUntilMs - nowMs;
  return restMs > 0 && restMs <= longestQuietMs;
}

/**
 * The newer of what the watch shows and what we last wrote: a decision on a status from before our own write would
 * take a step twice.
 */
export function freshest(watched: NativeHpa, written: NativeHpa | undefined): NativeHpa {
  if (written === undefined || written.metadata.uid !== watched.metadata.uid) return watched;
  return isOlder(watched.metadata.resourceVersion, written.metadata.resourceVersion) ? written : watched;
}

function isOlder(one: string | undefined, other: string | undefined): boolean {
  const digits = /^\d+$/;
  if (one === undefined || other === undefined || !digits.test(one) || !digits.test(other)) return false;
  return BigInt(one) < BigInt(other);
}
