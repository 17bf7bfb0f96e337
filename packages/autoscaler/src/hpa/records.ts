import type { HpaMemory, HpaStatus } from "@plimsoll/core";
import type { GoodReading } from "../wla/failure-policy.ts";
import type { ForeignWrite, LastScale } from "./foreign.ts";
import type { Gap } from "./gap.ts";
import { isOlder, keyOf, type NativeHpa } from "./native-hpa.ts";

/** Everything that is remembered about one HPA between evaluations, in one place with one end. */
export interface HpaRecord {
  readonly key: string;
  readonly uid: string;
  memory: HpaMemory | undefined;
  /** By how much the wall clock was ahead of the steady one at the last evaluation. */
  clockOffsetMs: number | undefined;
  /** Driven at the last evaluation: then nobody else has changed the count by the policies. */
  isDriven: boolean;
  /** What is not known of the time before. */
  gap: Gap | undefined;
  /**
   * A scale that may or may not be made, and the memory if it is not: the other controller is expected to make it
   * too, or it is not known how our write ended.
   */
  expected: { readonly scaleTo: number; readonly otherwise: HpaMemory } | undefined;
  /** The object as our last status write left it; the watch may be behind it. */
  written: NativeHpa | undefined;
  /** A status that was decided and is not stored yet: the next decision takes it as stored. */
  unwritten: HpaStatus | undefined;
  /** A status write that failed after its evaluation was over. */
  statusFailure: string | undefined;
  /** Our last status write may or may not have been carried out, or is under way. */
  isStatusUncertain: boolean;
  /** The count that we wrote last, until it was compared with what came of it. */
  scaled: LastScale | undefined;
  /** When others changed a count right after we had written it. */
  disputes: readonly number[];
  /** By position in spec.metrics: what a policy may hold on to. */
  good: readonly (GoodReading | undefined)[];
  /** Another controller drives this object: we only watch. */
  yielded: Yielded | undefined;
  /** Last failure that was logged; the next one is logged when it differs. */
  lastFailure: string | undefined;
  /** Evaluations in a row that ended in an exception. */
  crashes: number;
  /** No evaluation by schedule before this instant; see `isQuiet`. */
  quietUntilMs: number;
}

export interface Yielded extends ForeignWrite {
  readonly atMs: number;
  /** The object's annotation at that time: a change of it brings us back. */
  readonly reclaim: string | undefined;
}

export interface HpaRecords {
  /** The record of this very object: a namesake that was created anew starts afresh. */
  of(hpa: NativeHpa): HpaRecord;
  drop(key: string): void;
  /** Forgets what only counts while nobody else evaluates the object; that it was given up is kept. */
  reset(key: string): void;
  readonly size: number;
  /** Objects that we left to others. */
  readonly yielded: number;
}

export function createRecords(): HpaRecords {
  const records = new Map<string, HpaRecord>();
  return {
    of(hpa) {
      const key = keyOf(hpa);
      const uid = hpa.metadata.uid ?? "";
      const known = records.get(key);
      if (known?.uid === uid) return known;
      const record = freshRecord(key, uid);
      records.set(key, record);
      return record;
    },
    drop(key) {
      records.delete(key);
    },
    reset(key) {
      const known = records.get(key);
      if (known === undefined) return;
      const { uid, yielded, disputes } = known;
      records.set(key, { ...freshRecord(key, uid), yielded, disputes });
    },
    get size() {
      return records.size;
    },
    get yielded() {
      let count = 0;
      for (const record of records.values()) if (record.yielded !== undefined) count++;
      return count;
    },
  };
}

function freshRecord(key: string, uid: string): HpaRecord {
  return {
    key,
    uid,
    memory: undefined,
    clockOffsetMs: undefined,
    isDriven: false,
    gap: undefined,
    expected: undefined,
    written: undefined,
    unwritten: undefined,
    statusFailure: undefined,
    isStatusUncertain: false,
    scaled: undefined,
    disputes: [],
    good: [],
    yielded: undefined,
    lastFailure: undefined,
    crashes: 0,
    quietUntilMs: 0,
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

/** Once the watch shows our own write, one copy of the object is enough. */
export function shareCopy(record: HpaRecord, watched: NativeHpa): void {
  const { written } = record;
  if (written === undefined || written === watched || written.metadata.uid !== watched.metadata.uid) return;
  if (written.metadata.resourceVersion === watched.metadata.resourceVersion) record.written = watched;
}

/** The object with the status that was decided last, also while that waits to be written. */
export function withUnwritten(stored: NativeHpa, { unwritten }: HpaRecord): NativeHpa {
  return unwritten === undefined ? stored : { ...stored, status: unwritten };
}
