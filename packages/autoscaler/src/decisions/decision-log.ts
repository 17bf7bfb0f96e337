// Keeps the last decisions of each object: what they were made from, not their traces.
import type { KeyedEntries } from "@plimsoll/component-base";
import {
  type DecisionRecord,
  type DecisionSummary,
  type HpaMemory,
  type HpaSpec,
  recordDecision,
} from "@plimsoll/core";
import { type LoggedDecision, type Resource, rowOf, type SummaryRow } from "@plimsoll/decisions";
import type { Ownership } from "../objects/ownership.ts";
import { wlaPrefix } from "../objects/scaling-object.ts";
import { memoryBefore } from "./memory-step.ts";
import { unpackMemory } from "./packed-memory.ts";
import { createRows, isSameRow, type Rows } from "./rows.ts";
import {
  type Decide,
  entriesOfSpec,
  type KeptDecision,
  keptDecision,
  type Made,
  type MadeNow,
  madeFrom,
  traceOf,
} from "./stored-decision.ts";

/** The last decisions of each object. */
export interface DecisionLog {
  /** Oldest first; empty when there are none. A trace is recomputed when it is read. */
  of(namespace: string, name: string, resource?: Resource): readonly LoggedDecision[];
  /** The newest of every object. */
  latest(): readonly LoggedDecision[];
  /** Records to replay, oldest first; without those whose inputs were too large to be stored, or are not kept. */
  records(namespace: string, name: string, resource?: Resource): readonly DecisionRecord[];
}

export interface DecisionStore extends DecisionLog {
  /** `logged`: as it turned out. */
  add(key: string, logged: LoggedDecision, made: MadeNow): void;
  drop(key: string): void;
  readonly entries: KeyedEntries;
  /** The newest of every object as it is stored: nothing is recomputed. */
  newest(): readonly KeptDecision[];
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
  readonly summarize: (decision: LoggedDecision["decision"]) => DecisionSummary;
}

/** Entries (see `KeptDecision`) of one object's decisions, and of all together. */
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
  const decisionsOf = (namespace: string, name: string, resource: Resource) =>
    unfolded(byKey.get(keyOfDecision({ namespace, name, resource }))?.decisions ?? []).filter(
      ({ kept: { shared } }) => shared.resource === resource && shared.namespace === namespace,
    );
  const newest = () => [...byKey.values()].flatMap(({ decisions }) => decisions.slice(-1));
  return {
    rows,
    add(key, one, made) {
      const own = byKey.get(key) ?? noDecisions();
      byKey.set(key, own);
      rows.put(key, madeRow(one, made, { summary: summarize(one.decision), before: rows.get(key) }));
      const max = entries < maxEntries ? maxEntriesPerObject : fairEntries(byKey.size);
      entries += push(own, { one, made }, { max, inputs: deps.inputs });
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
    newest,
  };
}

/** `before`: the row of the decision before. */
function madeRow(
  one: LoggedDecision,
  { input }: Made,
  { summary, before }: { readonly summary: DecisionSummary; readonly before: SummaryRow | undefined },
): SummaryRow {
  const { spec } = input.hpa;
  const isHeldAsBefore =
    before?.uid === one.uid && before.heldBy === summary.heldBy && before.action === summary.action;
  const mode = input.mode === "Paused" ? "paused" : (one.mode as Ownership);
  return rowOf(one, {
    target: { kind: spec.scaleTargetRef.kind, name: spec.scaleTargetRef.name },
    mode: one.yieldedTo === undefined ? mode : "yielded",
    since: isHeldAsBefore ? before.since : one.at,
    summary,
    spec,
  });
}

/** Returns by how many entries there are more. */
function push(
  own: OwnDecisions,
  { one, made }: { readonly one: LoggedDecision; readonly made: MadeNow },
  limits: { readonly max: number; readonly inputs: boolean },
): number {
  const { spec } = made.input.hpa;
  if (own.spec !== spec) own.specEntries = entriesOfSpec(spec);
  own.spec = spec;
  const former = own.decisions.at(-1);
  const kept = keptDecision(one, made, { ...limits, former, specEntries: own.specEntries });
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
  readonly kept: KeptDecision;
  readonly made: Made | undefined;
}

/** Those in a row of one object, or single ones: from the newest back, since each leaves what the next one was made with. */
function unfolded(decisions: readonly KeptDecision[]): readonly Unfolded[] {
  const all: Unfolded[] = [];
  let next: HpaMemory | undefined;
  for (const kept of decisions.toReversed()) {
    const after = kept.after === undefined ? next : unpackMemory(kept.after);
    next = after === undefined ? undefined : memoryBefore(kept.step, after);
    const made = after === undefined ? undefined : madeFrom(kept, { memory: next, after });
    all.push({ kept, made });
  }
  return all.toReversed();
}

function fairEntries(objects: number): number {
  return Math.max(minEntriesPerObject, Math.floor(maxEntries / objects));
}

function noDecisions(): OwnDecisions {
  return { decisions: [], entries: 0, historyBytes: 0, spec: undefined, specEntries: 0 };
}

function logged({ kept: { nowMs, shared }, made }: Unfolded, decide: Decide): LoggedDecision {
  const { resource, namespace, name, uid, mode, applied, decision, context, leftOut } = shared;
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
        trace ??= traceOf(made, shared, decide);
        return trace;
      },
    },
    ...context,
    ...(leftOut === 0 ? {} : { leftOut }),
  };
}
