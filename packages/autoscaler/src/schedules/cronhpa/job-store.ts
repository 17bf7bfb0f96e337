// The store of CronHorizontalPodAutoscalers and of the state of their jobs.
import { isDeepStrictEqual } from "node:util";
import { createZones } from "@plimsoll/calendars";
import type { Clock, KeyedEntries } from "@plimsoll/component-base";
import { type CronHpaDefaults, compileCronHpa } from "@plimsoll/core/cronhpa";
import type { ZoneOffset } from "@plimsoll/core/schedules";
import { type Change, createMutationCache, type MutationCache } from "@plimsoll/kube";
import { type CronHpa, cronHpaKey, cronTargetKey } from "./cron-hpa.ts";
import { type CronHpaRecord, updateRecord } from "./record.ts";

/** All objects by the targets that they name, and what is known of their jobs. */
export interface JobStore {
  /** Follows the watch. Returns the targets that are concerned. */
  apply(change: Change<CronHpa>): readonly string[];
  targets(): readonly string[];
  /** Brings up to date what is known of a target's objects. */
  recordsOf(targetKey: string): readonly CronHpaRecord[];
  /** The same of one object, as the server has just returned it. */
  take(object: CronHpa): CronHpaRecord;
  put(record: CronHpaRecord): void;
  /** Forgets an object that is gone. */
  drop(object: CronHpa): void;
  /** Forgets what was done for a target; its objects stay. */
  forget(targetKey: string): void;
  /** By object, but for `targets`, which is by target. */
  readonly entries: Readonly<Record<"objects" | "records" | "written" | "targets", KeyedEntries>>;
}

export interface JobStoreOptions {
  readonly defaults: CronHpaDefaults;
  readonly clock: Pick<Clock, "nowMs">;
  readonly newId: () => string;
}

interface State extends JobStoreOptions {
  readonly zones: (timeZone: string) => ZoneOffset | undefined;
  /** Newest versions, as the watch or the server gave them. */
  readonly objects: Map<string, CronHpa>;
  readonly returned: MutationCache<CronHpa>;
  readonly records: Map<string, CronHpaRecord>;
  readonly keysOf: Map<string, Set<string>>;
}

export function createJobStore({ clock, defaults, newId }: JobStoreOptions): JobStore {
  const state: State = {
    clock,
    defaults,
    newId,
    zones: createZones(),
    objects: new Map(),
    returned: createMutationCache({ clock }),
    records: new Map(),
    keysOf: new Map(),
  };
  const { keysOf, objects, records, returned } = state;
  return {
    entries: { objects, records, written: returned.entries, targets: keysOf },
    apply({ type, object }) {
      const key = cronHpaKey(object);
      const known = objects.get(key);
      const concerned = [object, ...(known === undefined ? [] : [known])].map(cronTargetKey);
      if (type === "deleted") drop(state, object);
      else list(state, returned.newest(key, object));
      return [...new Set(concerned)];
    },
    targets: () => [...keysOf.keys()],
    recordsOf: (targetKey) =>
      [...(keysOf.get(targetKey) ?? [])].sort().flatMap((key) => {
        const object = objects.get(key);
        return object === undefined ? [] : [refresh(state, object)];
      }),
    take(object) {
      const key = cronHpaKey(object);
      // A response may arrive after the watch showed that the object is gone: no event would remove it again.
      if (objects.has(key) && returned.put(key, object)) list(state, object);
      return refresh(state, objects.get(key) ?? object);
    },
    put: (record) => save(state, record),
    drop: (object) => drop(state, object),
    forget(targetKey) {
      for (const key of keysOf.get(targetKey) ?? []) records.delete(key);
    },
  };
}

function list({ objects, keysOf }: State, object: CronHpa): void {
  const key = cronHpaKey(object);
  const known = objects.get(key);
  if (known !== undefined) unlist(keysOf, known);
  objects.set(key, object);
  const target = cronTargetKey(object);
  keysOf.set(target, (keysOf.get(target) ?? new Set()).add(key));
}

function drop({ objects, keysOf, records, returned }: State, object: CronHpa): void {
  const key = cronHpaKey(object);
  const known = objects.get(key);
  // The watch may show the end of a former object of the name after a read returned the next one.
  if (known === undefined || known.metadata.uid !== object.metadata.uid) return;
  unlist(keysOf, known);
  objects.delete(key);
  records.delete(key);
  returned.drop(key);
}

function unlist(keysOf: Map<string, Set<string>>, object: CronHpa): void {
  const target = cronTargetKey(object);
  const keys = keysOf.get(target);
  keys?.delete(cronHpaKey(object));
  if (keys?.size === 0) keysOf.delete(target);
}

function refresh(state: State, object: CronHpa): CronHpaRecord {
  const { clock, defaults, newId, records, zones } = state;
  const before = records.get(cronHpaKey(object));
  // Statuses change as often as jobs run; what was compiled holds as long as the specification.
  const isSame = before !== undefined && isSameSource(before.object, object);
  const compiled = isSame ? before.compiled : compileCronHpa(object, defaults, zones);
  const record = updateRecord(object, before, { compiled, nowMs: clock.nowMs(), newId });
  save(state, record);
  return record;
}

/** Nothing of an object that is gone. */
function save({ objects, records }: State, record: CronHpaRecord): void {
  const key = cronHpaKey(record.object);
  if (objects.has(key)) records.set(key, record);
}

function isSameSource(one: CronHpa, other: CronHpa): boolean {
  return (
    one === other ||
    (isDeepStrictEqual(one.spec, other.spec) &&
      isDeepStrictEqual(one.metadata.annotations, other.metadata.annotations))
  );
}
