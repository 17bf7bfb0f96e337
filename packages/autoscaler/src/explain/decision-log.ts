import type { Decision } from "@plimsoll/core";
import { wlaPrefix } from "../hpa/native-hpa.ts";
import type { Ownership } from "../hpa/ownership.ts";
import type { BuiltInState } from "../shadow/built-in.ts";
import type { FailurePolicyStep } from "../wla/failure-policy.ts";

/** What became of a decision. */
export type Applied = "nothing-to-do" | "scaled" | "scale-failed" | "shadow" | "withheld";

export type DecisionResource = "horizontalpodautoscalers" | "workloadautoscalers";

export interface DecisionRecord {
  /** RFC 3339. */
  readonly at: string;
  readonly resource: DecisionResource;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly mode: Ownership;
  readonly applied: Applied;
  readonly decision: Decision;
  /** What stood for metrics that failed. */
  readonly policies?: readonly FailurePolicyStep[];
  /** In shadow because of it: the other writer that was found. */
  readonly yieldedTo?: string;
  /** In shadow: what the controller that drives the object last wrote about it. */
  readonly builtIn?: BuiltInState;
}

/** The key of the object that was decided on. */
export function keyOfRecord({
  namespace,
  name,
  resource,
}: Pick<DecisionRecord, "namespace" | "name" | "resource">) {
  return `${namespace}/${resource === "workloadautoscalers" ? wlaPrefix : ""}${name}`;
}

/** The last decisions of each HPA. */
export interface DecisionLog {
  /** Oldest first; empty when there are none. */
  of(namespace: string, name: string, resource?: DecisionResource): readonly DecisionRecord[];
  /** The newest of every HPA. */
  latest(): readonly DecisionRecord[];
}

export interface DecisionStore extends DecisionLog {
  add(key: string, record: DecisionRecord): void;
  drop(key: string): void;
}

/** Records of all HPAs together; with many of them each keeps fewer, down to its newest. */
const mostRecords = 10_000;

/** `keep`: how many of each HPA. */
export function createDecisionStore(keep: number): DecisionStore {
  const byKey = new Map<string, DecisionRecord[]>();
  return {
    add(key, record) {
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
    of: (namespace, name, resource = "horizontalpodautoscalers") => [
      ...(byKey.get(keyOfRecord({ namespace, name, resource })) ?? []),
    ],
    latest: () => [...byKey.values()].flatMap((records) => records.slice(-1)),
  };
}
