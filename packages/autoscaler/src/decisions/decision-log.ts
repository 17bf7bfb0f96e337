// Keeps the last decisions of each object: what they were made from, not their traces.
import { type DecisionRecord, recordDecision } from "@plimsoll/core";
import { wlaPrefix } from "../objects/scaling-object.ts";
import type { Decide } from "../reconcile/evaluate/evaluate.ts";
import { type DecisionMade, type KeptDecision, keepDecision, traceOf } from "./kept-decision.ts";
import type { DecisionResource, LoggedDecision } from "./logged-decision.ts";

/** The last decisions of each object. */
export interface DecisionLog {
  /** Oldest first; empty when there are none. A trace is recomputed when it is read. */
  of(namespace: string, name: string, resource?: DecisionResource): readonly LoggedDecision[];
  /** The newest of every object. */
  latest(): readonly LoggedDecision[];
  /** Records to replay, oldest first; without those whose inputs were too large to be kept. */
  records(namespace: string, name: string, resource?: DecisionResource): readonly DecisionRecord[];
}

export interface DecisionStore extends DecisionLog {
  add(key: string, made: DecisionMade): void;
  drop(key: string): void;
  /** The newest of every object as it is kept: nothing is recomputed. */
  newest(): readonly KeptDecision[];
}

/** Decisions of all objects together; with many objects each keeps fewer, down to its newest. */
const maxDecisions = 10_000;
/** Entries (see `KeptDecision`) of one object's decisions, and of all together. */
const maxEntriesPerObject = 20_000;
const maxEntries = 2_000_000;
const minEntriesPerObject = 200;

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
  const byKey = new Map<string, { readonly decisions: KeptDecision[]; entries: number }>();
  let entries = 0;
  const keptOf = (namespace: string, name: string, resource: DecisionResource) =>
    byKey.get(keyOfDecision({ namespace, name, resource }))?.decisions ?? [];
  const newest = () => [...byKey.values()].flatMap(({ decisions }) => decisions.slice(-1));
  return {
    add(key, made) {
      const own = byKey.get(key) ?? { decisions: [], entries: 0 };
      byKey.set(key, own);
      const { decisions } = own;
      const share = Math.max(1, Math.min(keep, Math.floor(maxDecisions / byKey.size)));
      const max = entries < maxEntries ? maxEntriesPerObject : fairEntries();
      const kept = keepDecision(made, max);
      own.entries += kept.entries;
      entries += kept.entries;
      decisions.push(kept);
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
    of: (namespace, name, resource = "horizontalpodautoscalers") =>
      keptOf(namespace, name, resource).map((kept) => logged(kept, decide)),
    latest: () => newest().map((kept) => logged(kept, decide)),
    records: (namespace, name, resource = "horizontalpodautoscalers") =>
      keptOf(namespace, name, resource).flatMap(({ basis }) =>
        basis === undefined ? [] : [recordDecision(basis)],
      ),
    newest,
  };

  function fairEntries(): number {
    return Math.max(minEntriesPerObject, Math.floor(maxEntries / byKey.size));
  }
}

function logged(kept: KeptDecision, decide: Decide): LoggedDecision {
  const { nowMs, resource, namespace, name, uid, mode, applied, decision, context, leftOut } = kept;
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
        trace ??= traceOf(kept, decide);
        return trace;
      },
    },
    ...context,
    ...(leftOut === 0 ? {} : { leftOut }),
  };
}
