// Decisions that the autoscaler recorded.
import { messageOf } from "@plimsoll/component-base";
import {
  type DecisionRecord,
  instantMs,
  otherWriterText,
  RecordError,
  type StatusComparison,
} from "@plimsoll/core";
import type { DecisionsQuery, LoggedDecision, SummaryRow } from "@plimsoll/decisions";
import { ApiError } from "@plimsoll/kube";
import type { Cluster } from "../cluster/cluster.ts";
import type { Endpoint } from "../endpoint/endpoint.ts";
import type { ObjectIdentity } from "../objects/scaling-object.ts";
import { timeText } from "../output/age.ts";
import { CliError } from "../seams.ts";
import type { RecomputingSource } from "./recomputing-source.ts";
import type { Explained, RecordedSource, Wanted, WithDecision } from "./source.ts";

export interface EndpointSourceDeps {
  readonly endpoint: Endpoint;
  readonly cluster: Cluster;
  /** For objects about which nothing is recorded. */
  readonly recomputing: RecomputingSource;
}

const maxDecisions = 10_000;

export function createEndpointSource(deps: EndpointSourceDeps): RecordedSource {
  const { endpoint, cluster, recomputing } = deps;
  return {
    kind: "recorded",
    async newest(object, wanted) {
      const found = await decisionsOf(object, { limit: limitOf(wanted) }, endpoint);
      if (found.ok) return explained(object, found.decisions, endpoint, wanted);
      cluster.note(`${found.reason}; recomputing from live data`);
      return recomputing.newest(object);
    },
    async at(object, atMs, wanted) {
      const query = { limit: limitOf(wanted), before: justAfter(atMs) };
      const found = await decisionsOf(object, query, endpoint);
      if (!found.ok) throw new CliError(found.reason);
      return explained(object, found.decisions, endpoint, wanted);
    },
    async back(object, count, wanted) {
      const limit = Math.min(count + limitOf(wanted), maxDecisions);
      const found = await decisionsOf(object, { limit }, endpoint);
      if (!found.ok) throw new CliError(found.reason);
      const { decisions } = found;
      const kept = decisions.length;
      if (count >= kept) throw new CliError(`--back ${count}: ${keptText(decisions)}`);
      return explained(object, decisions.slice(0, kept - count), endpoint, wanted);
    },
    async last(object, count) {
      const found = await decisionsOf(object, { limit: count }, endpoint);
      if (!found.ok) throw new CliError(found.reason);
      return found.decisions.map((logged) => explainedOf(object, logged));
    },
    rows: (namespace) => endpoint.rows({ namespace }),
  };
}

const nothingMore: Wanted = { previous: false };

function limitOf({ previous }: Wanted = nothingMore): number {
  return previous ? 2 : 1;
}

/** An instant itself is not before it. */
export function justAfter(atMs: number): string {
  return new Date(atMs + 1).toISOString();
}

/** "20 decisions are kept (--decision-history), the oldest of 09:55:02". */
function keptText(decisions: readonly LoggedDecision[]): string {
  const [oldestMs, newestMs] = [decisions[0], decisions.at(-1)].map((one) => instantMs(one?.at ?? "") ?? 0);
  const kept = decisions.length === 1 ? "1 decision is kept" : `${decisions.length} decisions are kept`;
  return `${kept} (--decision-history), the oldest of ${timeText(oldestMs ?? 0, newestMs ?? 0)}`;
}

type FoundDecisions =
  | { readonly ok: true; readonly decisions: readonly LoggedDecision[] }
  | { readonly ok: false; readonly reason: string };

/** At least one; those about an object of the same name that was deleted are none. */
async function decisionsOf(
  object: ObjectIdentity,
  query: DecisionsQuery,
  endpoint: Endpoint,
): Promise<FoundDecisions> {
  try {
    const all = await endpoint.decisions(object, query);
    const decisions = all.filter(({ uid }) => uid === object.uid);
    return decisions.length > 0 ? { ok: true, decisions } : { ok: false, reason: noneOf(object) };
  } catch (error) {
    // What is not found, or not kept any more, in the server's words.
    if (error instanceof ApiError && (error.code === 404 || error.code === 410))
      return { ok: false, reason: error.message };
    throw error;
  }
}

function noneOf({ resource, namespace, name }: ObjectIdentity): string {
  return `no recorded decision about ${resource} "${name}" in namespace "${namespace}"`;
}

/** The last of the decisions. */
async function explained(
  object: ObjectIdentity,
  decisions: readonly LoggedDecision[],
  endpoint: Endpoint,
  { previous }: Wanted = nothingMore,
): Promise<Explained> {
  const logged = decisions.at(-1);
  if (logged === undefined) throw new CliError(noneOf(object));
  const before = previous ? decisions.at(-2) : undefined;
  const [{ record, notes }, former] = await Promise.all([
    recordOf(object, logged, endpoint),
    before === undefined ? noRecord : recordOf(object, before, endpoint),
  ]);
  return {
    ...explainedOf(object, logged),
    ...(record === undefined ? {} : { record }),
    ...(record?.mode === "Paused" ? { mode: "paused" } : {}),
    ...(before === undefined
      ? {}
      : {
          previous: {
            at: before.at,
            decision: before.decision,
            ...(former.record === undefined ? {} : { record: former.record }),
          },
        }),
    notes: [...notesOf(logged), ...notes],
  };
}

/** What the log has of one decision. */
export function explainedOf(object: ObjectIdentity, logged: LoggedDecision): WithDecision {
  const { decision, at, mode, verdict, otherWriter } = logged;
  return {
    source: "recorded",
    at,
    object,
    mode: mode as SummaryRow["mode"],
    decision,
    assumptions: [],
    ...(otherWriter === undefined ? {} : { otherWriter }),
    ...(verdict === undefined ? {} : { comparison: comparisonOf(logged, verdict) }),
    notes: notesOf(logged),
  };
}

interface FoundRecord {
  readonly record?: DecisionRecord;
  readonly notes: readonly string[];
}

const noRecord: FoundRecord = { notes: [] };

/** Inputs may not be kept, or only those of the newest decision. */
async function recordOf(
  object: ObjectIdentity,
  { at }: LoggedDecision,
  endpoint: Endpoint,
): Promise<FoundRecord> {
  const atMs = Date.parse(at);
  try {
    const record = await endpoint.record(object, { before: justAfter(atMs) });
    return record.input.nowMs === atMs ? { record, notes: [] } : noRecord;
  } catch (error) {
    if (error instanceof RecordError)
      return { notes: [`cannot read the record of this decision: ${messageOf(error)}`] };
    if (error instanceof ApiError && (error.code === 404 || error.code === 410)) return noRecord;
    throw error;
  }
}

function notesOf({ leftOut = 0, applied, ...logged }: LoggedDecision): readonly string[] {
  return [
    ...(leftOut === 0 ? [] : [`the trace leaves out ${leftOut} pods and values`]),
    ...otherWriterNotes(logged),
    ...(applied === "scale-failed" ? ["the target could not be scaled"] : []),
  ];
}

function otherWriterNotes({
  at,
  otherWriter,
  yieldedTo,
}: Pick<LoggedDecision, "at" | "otherWriter" | "yieldedTo">): readonly string[] {
  if (otherWriter !== undefined) return [otherWriterText(otherWriter, instantMs(at) ?? 0)];
  return yieldedTo === undefined ? [] : [`in shadow because ${yieldedTo} also writes the object`];
}

/** What the autoscaler found in the status of the controller that manages the object. */
function comparisonOf(
  { builtIn, decision }: LoggedDecision,
  verdict: StatusComparison["verdict"],
): StatusComparison {
  const theirs = builtIn === undefined ? null : { desired: builtIn.desiredReplicas, recomputed: null };
  const isOther = theirs !== null && theirs.desired !== decision.desiredReplicas;
  return {
    verdict,
    difference:
      verdict === "differs" && isOther
        ? { step: "result", ours: String(decision.desiredReplicas), theirs: String(theirs.desired) }
        : null,
    assumptions: [],
    theirs,
    notes: verdict === "lagging" ? ["its status may take two periods to follow"] : [],
  };
}
