// Keeps the last decisions of each object: what they were made from, not their traces.
import type { KeyedEntries } from "@plimsoll/component-base";
import { type DecisionRecord, type HpaSpec, recordDecision } from "@plimsoll/core";
import { wlaPrefix } from "../objects/scaling-object.ts";
import type { Decide } from "../reconcile/evaluate/evaluate.ts";
import type { DecisionResource, LoggedDecision } from "./logged-decision.ts";
import {
  type DecisionMade,
  entriesOfSpec,
  madeFrom,
  type StoredDecision,
  storedDecision,
  traceOf,
} from "./stored-decision.ts";

/** The last decisions of each object. */
export interface DecisionLog {
  /** Oldest first; empty when there are none. A trace is recomputed when it is read. */
  of(namespace: string, name: string, resource?: DecisionResource): readonly LoggedDecision[];
  /** The newest of every object. */
  latest(): readonly LoggedDecision[];
  /** Records to replay, oldest first; without those whose inputs were too large to be stored. */
  records(namespace: string, name: string, resource?: DecisionResource): readonly DecisionRecord[];
}

export interface DecisionStore extends DecisionLog {
  add(key: string, made: DecisionMade): void;
  drop(key: string): void;
  readonly entries: KeyedEntries;
  /** The newest of every object as it is stored: nothing is recomputed. */
  newest(): readonly StoredDecision[];
}

/** Decisions of all objects together; with many objects each keeps fewer, down to its newest. */
const maxDecisions = 10_000;
/** Entries (see `StoredDecision`) of one object's decisions, and of all together. */
const maxEntriesPerObject = 20_000;
const maxEntries = 2_000_000;
const minEntriesPerObject = 200;

/** The decisions of one object. */
interface OwnDecisions {
  readonly decisions: StoredDecision[];
  entries: number;
  /** The last specification and its entries: mostly it is that of the next decision, too. */
  spec: HpaSpec | undefined;
  specEntries: number;
}

/** The key of the object that was decided on. */
export function keyOfDecision({
  namespace,
  name,
  resource,
}: Pick<LoggedDecision, "namespace" | "name" | "resource">): string {
  return `${namespace}/${resource === "workloadautoscalers" ? wlaPrefix : ""}${name}`;
}

/** `keep`: how many of each object. `decide` made them, and makes their traces once more. */
export function createDecisionStore(keep: number, decide: Decide): DecisionStore {
  const byKey = new Map<string, OwnDecisions>();
  let entries = 0;
  const decisionsOf = (namespace: string, name: string, resource: DecisionResource) =>
    byKey.get(keyOfDecision({ namespace, name, resource }))?.decisions ?? [];
  const newest = () => [...byKey.values()].flatMap(({ decisions }) => decisions.slice(-1));
  return {
    add(key, made) {
      const own = byKey.get(key) ?? { decisions: [], entries: 0, spec: undefined, specEntries: 0 };
      byKey.set(key, own);
      const { decisions } = own;
      const share = Math.max(1, Math.min(keep, Math.floor(maxDecisions / byKey.size)));
      const max = entries < maxEntries ? maxEntriesPerObject : fairEntries();
      const { spec } = made.input.hpa;
      if (own.spec !== spec) own.specEntries = entriesOfSpec(spec);
      own.spec = spec;
      const stored = storedDecision(made, max, own.specEntries);
      own.entries += stored.entries;
      entries += stored.entries;
      decisions.push(stored);
      while (decisions.length > share || (own.entries > max && decisions.length > 1)) {
        const freed = decisions.shift()?.entries ?? 0;
        own.entries -= freed;
        entries -= freed;
      }
    },
    drop(key) {
      entries -= byKey.get(key)?.entries ?? 0;
      byKey.delete(key);
    },
    entries: byKey,
    of: (namespace, name, resource = "horizontalpodautoscalers") =>
      decisionsOf(namespace, name, resource).map((stored) => logged(stored, decide)),
    latest: () => newest().map((stored) => logged(stored, decide)),
    records: (namespace, name, resource = "horizontalpodautoscalers") =>
      decisionsOf(namespace, name, resource).flatMap((stored) => {
        const made = madeFrom(stored);
        return made === undefined ? [] : [recordDecision(made)];
      }),
    newest,
  };

  function fairEntries(): number {
    return Math.max(minEntriesPerObject, Math.floor(maxEntries / byKey.size));
  }
}

function logged(stored: StoredDecision, decide: Decide): LoggedDecision {
  const { nowMs, resource, namespace, name, uid, mode, applied, decision, context, leftOut } = stored;
  let trace: LoggedDecision["decision"]["trace"] | undefined;
  return {
    resource,
    at: new Date(nowMs).toISOString(),
    namespace,
    name,
    uid,
    mode,
    applied: applied.outcome,
    decision: {
      ...decision,
      get trace() {
        trace ??= traceOf(stored, decide);
        return trace;
      },
    },
    ...context,
    ...(leftOut === 0 ? {} : { leftOut }),
  };
}
