// Keeps the last decisions of each object: what they were made from, not their traces.
import type { KeyedEntries } from "@plimsoll/component-base";
import {
  type DecisionRecord,
  type DecisionSummary,
  type HpaMemory,
  type HpaSpec,
  recordDecision,
} from "@plimsoll/core";
import { wlaPrefix } from "../objects/scaling-object.ts";
import type { Decide } from "../reconcile/evaluate/evaluate.ts";
import { unpackMemory } from "../reconcile/remember/packed-memory.ts";
import type { DecisionResource, LoggedDecision } from "./logged-decision.ts";
import { memoryBefore } from "./memory-step.ts";
import { createRows, type Rows } from "./rows.ts";
import {
  type DecisionMade,
  entriesOfSpec,
  type KeptDecision,
  keptDecision,
  madeFrom,
  type StoredDecision,
  storedOf,
  traceOf,
} from "./stored-decision.ts";
import { isSameRow, rowOf } from "./summary-row.ts";

/** The last decisions of each object. */
export interface DecisionLog {
  /** Oldest first; empty when there are none. A trace is recomputed when it is read. */
  of(namespace: string, name: string, resource?: DecisionResource): readonly LoggedDecision[];
  /** The newest of every object. */
  latest(): readonly LoggedDecision[];
  /** Records to replay, oldest first; without those whose inputs were too large to be stored, or are not kept. */
  records(namespace: string, name: string, resource?: DecisionResource): readonly DecisionRecord[];
}

export interface DecisionStore extends DecisionLog {
  add(key: string, made: DecisionMade): void;
  drop(key: string): void;
  readonly entries: KeyedEntries;
  /** The newest of every object as it is stored: nothing is recomputed. */
  newest(): readonly StoredDecision[];
  /** The newest of every object in one line. */
  readonly rows: Rows;
}

/** What is kept of decisions. */
export interface KeptDecisions {
  /** Decisions of each object. */
  readonly keep: number;
  /** For all but the newest of each object, of all objects together. */
  readonly historyBytes: number;
  /** False: traces are kept in place of the inputs, so that no record leaves the process. */
  readonly inputs: boolean;
}

export interface DecisionStoreDeps extends KeptDecisions {
  /** Made the decisions, and makes their traces once more. */
  readonly decide: Decide;
  readonly summarize: (decision: DecisionMade["decision"]) => DecisionSummary;
}

/** Entries (see `StoredDecision`) of one object's decisions, and of all together. */
const maxEntriesPerObject = 20_000;
const maxEntries = 2_000_000;
const minEntriesPerObject = 200;

/** The decisions of one object. */
interface OwnDecisions {
  readonly decisions: KeptDecision[];
  entries: number;
  /** Of all but the newest. */
  historyBytes: number;
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

export function createDecisionStore(deps: DecisionStoreDeps): DecisionStore {
  const { keep, decide, summarize } = deps;
  const byKey = new Map<string, OwnDecisions>();
  const rows = createRows(isSameRow);
  let entries = 0;
  // Who asks chooses the name, which may look like the key of an object of another resource.
  const decisionsOf = (namespace: string, name: string, resource: DecisionResource) =>
    unfolded(byKey.get(keyOfDecision({ namespace, name, resource }))?.decisions ?? []).filter(
      ({ stored }) => stored.resource === resource && stored.namespace === namespace,
    );
  const newest = () => [...byKey.values()].flatMap(({ decisions }) => decisions.slice(-1));
  return {
    rows,
    add(key, made) {
      const own = byKey.get(key) ?? noDecisions();
      byKey.set(key, own);
      rows.put(key, rowOf(made, summarize(made.decision), rows.get(key)));
      const max = entries < maxEntries ? maxEntriesPerObject : fairEntries(byKey.size);
      entries += push(own, made, { max, inputs: deps.inputs });
      const share = deps.historyBytes / byKey.size;
      const { decisions } = own;
      while (
        decisions.length > 1 &&
        (decisions.length > keep || own.entries > max || own.historyBytes > share)
      )
        entries -= shift(own);
    },
    drop(key) {
      entries -= byKey.get(key)?.entries ?? 0;
      byKey.delete(key);
      rows.drop(key);
    },
    entries: byKey,
    of: (namespace, name, resource = "horizontalpodautoscalers") =>
      decisionsOf(namespace, name, resource).map((one) => logged(one, decide)),
    latest: () => unfolded(newest()).map((one) => logged(one, decide)),
    records: (namespace, name, resource = "horizontalpodautoscalers") =>
      decisionsOf(namespace, name, resource).flatMap(({ made }) =>
        made === undefined ? [] : [recordDecision(made)],
      ),
    newest: () => newest().map(storedOf),
  };
}

/** Returns by how many entries there are more. */
function push(
  own: OwnDecisions,
  made: DecisionMade,
  limits: { readonly max: number; readonly inputs: boolean },
): number {
  const { spec } = made.input.hpa;
  if (own.spec !== spec) own.specEntries = entriesOfSpec(spec);
  own.spec = spec;
  const former = own.decisions.at(-1);
  const kept = keptDecision(made, former, { ...limits, specEntries: own.specEntries });
  own.historyBytes += former?.bytes ?? 0;
  own.entries += kept.shared.entries;
  own.decisions.push(kept);
  return kept.shared.entries;
}

/** Returns by how many entries there are less. */
function shift(own: OwnDecisions): number {
  const oldest = own.decisions.shift();
  const { entries } = oldest?.shared ?? { entries: 0 };
  own.historyBytes -= oldest?.bytes ?? 0;
  own.entries -= entries;
  return entries;
}

/** A decision with what it was made from, where that is kept. */
interface Unfolded {
  readonly stored: StoredDecision;
  readonly made: ReturnType<typeof madeFrom>;
}

/** Those in a row of one object, or single ones: from the newest back, since each leaves what the next one was made with. */
function unfolded(decisions: readonly KeptDecision[]): readonly Unfolded[] {
  const all: Unfolded[] = [];
  let next: HpaMemory | undefined;
  for (const kept of decisions.toReversed()) {
    const after = kept.after === undefined ? next : unpackMemory(kept.after);
    next = after === undefined ? undefined : memoryBefore(kept.step, after);
    const made = after === undefined ? undefined : madeFrom(kept, { memory: next, after });
    all.push({ stored: storedOf(kept), made });
  }
  return all.toReversed();
}

function fairEntries(objects: number): number {
  return Math.max(minEntriesPerObject, Math.floor(maxEntries / objects));
}

function noDecisions(): OwnDecisions {
  return { decisions: [], entries: 0, historyBytes: 0, spec: undefined, specEntries: 0 };
}

function logged({ stored, made }: Unfolded, decide: Decide): LoggedDecision {
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
        trace ??= traceOf(made, stored, decide);
        return trace;
      },
    },
    ...context,
    ...(leftOut === 0 ? {} : { leftOut }),
  };
}
