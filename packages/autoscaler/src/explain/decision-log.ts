import type { Decision } from "@plimsoll/core";
import type { Ownership } from "../hpa/ownership.ts";
import type { BuiltInState } from "../shadow/built-in.ts";

/** What became of a decision. */
export type Applied = "nothing-to-do" | "scaled" | "scale-failed" | "shadow" | "withheld";

export interface DecisionRecord {
  /** RFC 3339. */
  readonly at: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly mode: Ownership;
  readonly applied: Applied;
  readonly decision: Decision;
  /** In shadow because of it: the other writer that was found. */
  readonly yieldedTo?: string;
  /** In shadow: what the controller that drives the object last wrote about it. */
  readonly builtIn?: BuiltInState;
}

/** The last decisions of each HPA. */
export interface DecisionLog {
  /** Oldest first; empty when there are none. */
  of(namespace: string, name: string): readonly DecisionRecord[];
  /** The newest of every HPA. */
  latest(): readonly DecisionRecord[];
}

export interface DecisionStore extends DecisionLog {
  add(record: DecisionRecord): void;
  drop(key: string): void;
}

/** Records of all HPAs together; with many of them each keeps fewer, down to its newest. */
const mostRecords = 10_000;

/** `keep`: how many of each HPA. */
export function createDecisionStore(keep: number): DecisionStore {
  const byKey = new Map<string, DecisionRecord[]>();
  return {
    add(record) {
      const key = `${record.namespace}/${record.name}`;
      const records = byKey.get(key);
      if (records === undefined) {
        byKey.set(key, [record]);
        return;
      }
      records.push(record);
      const share = Math.max(1, Math.min(keep, Math.floor(mostRecords / byKey.size)));
      if (records.length > share) records.splice(0, records.length - share);
    },
    drop(key) {
      byKey.delete(key);
    },
    of: (namespace, name) => [...(byKey.get(`${namespace}/${name}`) ?? [])],
    latest: () => [...byKey.values()].flatMap((records) => records.slice(-1)),
  };
}
