import { type CronHpaDefaults, compileCronHpa } from "@plimsoll/core";
import type { Change } from "@plimsoll/kube";
import { isOlder } from "../hpa/native-hpa.ts";
import { createZones } from "../zone-offset.ts";
import { type CronHpa, cronHpaKey, cronTargetKey } from "./cron-hpa.ts";
import { type CronHpaRecord, updateRecord } from "./record.ts";

/** All objects by the targets that they name, and what is known of them. */
export interface Ledger {
  /** Follows the watch. Gives the targets that are concerned. */
  apply(change: Change<CronHpa>): readonly string[];
  targets(): readonly string[];
  /** Brings up to date what is known of a target's objects. */
  recordsOf(targetKey: string): readonly CronHpaRecord[];
  /** The same of one object, as the server has just given it. */
  take(object: CronHpa): CronHpaRecord;
  put(record: CronHpaRecord): void;
  /** Forgets an object that is gone. */
  drop(object: CronHpa): void;
  /** Forgets what was done for a target; its objects stay. */
  forget(targetKey: string): void;
}

export function createLedger(o: {
  readonly defaults: CronHpaDefaults;
  readonly nowMs: () => number;
  readonly newId: () => string;
}): Ledger {
  const zones = createZones();
  const newest = new Map<string, CronHpa>();
  const records = new Map<string, CronHpaRecord>();
  const keysOf = new Map<string, Set<string>>();

  return {
    apply({ type, object }) {
      const known = newest.get(cronHpaKey(object));
      const concerned = new Set([
        cronTargetKey(object),
        ...(known === undefined ? [] : [cronTargetKey(known)]),
      ]);
      if (type === "deleted") drop(object);
      else keep(object);
      return [...concerned];
    },
    targets: () => [...keysOf.keys()],
    recordsOf: (targetKey) =>
      [...(keysOf.get(targetKey) ?? [])].sort().flatMap((key) => {
        const object = newest.get(key);
        return object === undefined ? [] : [refresh(object)];
      }),
    take: (object) => refresh(keep(object)),
    put: (record) => void records.set(cronHpaKey(record.object), record),
    drop,
    forget(targetKey) {
      for (const key of keysOf.get(targetKey) ?? []) records.delete(key);
    },
  };

  /** The watch may be behind what the server answered: the newer one stays. */
  function keep(object: CronHpa): CronHpa {
    const key = cronHpaKey(object);
    const known = newest.get(key);
    if (known !== undefined) {
      const isSame = known.metadata.uid === object.metadata.uid;
      if (isSame && isOlder(object.metadata.resourceVersion, known.metadata.resourceVersion)) return known;
      unlist(known);
    }
    newest.set(key, object);
    const target = cronTargetKey(object);
    const keys = keysOf.get(target);
    if (keys === undefined) keysOf.set(target, new Set([key]));
    else keys.add(key);
    return object;
  }

  function drop(object: CronHpa): void {
    const key = cronHpaKey(object);
    const known = newest.get(key);
    if (known !== undefined) unlist(known);
    newest.delete(key);
    records.delete(key);
  }

  function unlist(object: CronHpa): void {
    const target = cronTargetKey(object);
    const keys = keysOf.get(target);
    keys?.delete(cronHpaKey(object));
    if (keys?.size === 0) keysOf.delete(target);
  }

  function refresh(object: CronHpa): CronHpaRecord {
    const key = cronHpaKey(object);
    const compiled = compileCronHpa(object, o.defaults, zones);
    const record = updateRecord(object, records.get(key), { compiled, nowMs: o.nowMs(), newId: o.newId });
    records.set(key, record);
    return record;
  }
}
