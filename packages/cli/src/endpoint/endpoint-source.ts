// Decisions that the autoscaler recorded.
import { messageOf } from "@plimsoll/component-base";
import { type DecisionRecord, instantMs, RecordError, type StatusComparison } from "@plimsoll/core";
import { ApiError } from "@plimsoll/kube";
import type { Cluster } from "../cluster/cluster.ts";
import type { RecomputingSource } from "../decisions/recomputing-source.ts";
import type { DecisionSource, Explained, ObjectIdentity } from "../decisions/source.ts";
import { countsOf } from "../decisions/state.ts";
import { timeText } from "../output/age.ts";
import { CliError } from "../seams.ts";
import type { DecisionsQuery, Endpoint } from "./endpoint.ts";
import type { LoggedDecision } from "./wire.ts";

export interface EndpointSourceDeps {
  readonly endpoint: Endpoint;
  readonly cluster: Cluster;
  /** For objects about which nothing is recorded. */
  readonly recomputing: RecomputingSource;
}

const maxDecisions = 10_000;

export function createEndpointSource(deps: EndpointSourceDeps): DecisionSource {
  const { endpoint, cluster, recomputing } = deps;
  return {
    kind: "recorded",
    async newest(object) {
      const found = await decisionsOf(object, { limit: 2 }, endpoint);
      if (found.ok) return explained(object, found.decisions, endpoint);
      cluster.note(`${found.reason}; recomputing from live data`);
      return recomputing.newest(object);
    },
    async at(object, atMs) {
      // An instant itself is not before it.
      const found = await decisionsOf(object, { limit: 2, beforeMs: atMs + 1 }, endpoint);
      if (!found.ok) throw new CliError(found.reason);
      return explained(object, found.decisions, endpoint);
    },
    async back(object, count) {
      const found = await decisionsOf(object, { limit: Math.min(count + 2, maxDecisions) }, endpoint);
      if (!found.ok) throw new CliError(found.reason);
      const { decisions } = found;
      const kept = decisions.length;
      if (count >= kept) throw new CliError(`--back ${count}: ${keptText(decisions)}`);
      return explained(object, decisions.slice(0, kept - count), endpoint);
    },
    async last(object, count) {
      const found = await decisionsOf(object, { limit: count }, endpoint);
      if (!found.ok) throw new CliError(found.reason);
      return found.decisions.map((logged) => explainedOf(object, logged));
    },
    async list({ namespace, isProblem, limit }) {
      const items = await endpoint.rows({ namespace, isProblem, limit });
      return { items, total: items.length, counts: countsOf(items), notes: [] };
    },
  };
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
  return `no decision is recorded about ${resource} "${name}" in namespace "${namespace}"`;
}

/** The last of the decisions. */
async function explained(
  object: ObjectIdentity,
  decisions: readonly LoggedDecision[],
  endpoint: Endpoint,
): Promise<Explained> {
  const logged = decisions.at(-1);
  if (logged === undefined) throw new CliError(noneOf(object));
  const before = decisions.at(-2);
  const [now, former] = await Promise.all([
    recordOf(object, logged, endpoint),
    before === undefined ? noRecord : recordOf(object, before, endpoint),
  ]);
  const { record } = now;
  return {
    ...explainedOf(object, logged),
    ...(record === undefined ? {} : { record }),
    ...(record?.mode === "Paused" ? { mode: "paused" } : {}),
    ...(before === undefined ? {} : { previous: before.decision }),
    ...(former.record === undefined ? {} : { previousRecord: former.record }),
    notes: [...notesOf(logged), ...now.notes],
  };
}

/** What the log has of one decision. */
export function explainedOf(object: ObjectIdentity, logged: LoggedDecision): Explained {
  const { decision, at, mode, verdict } = logged;
  return {
    source: "recorded",
    at,
    object,
    mode,
    decision,
    assumptions: [],
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
    const record = await endpoint.record(object, atMs + 1);
    return record.input.nowMs === atMs ? { record, notes: [] } : noRecord;
  } catch (error) {
    if (error instanceof RecordError)
      return { notes: [`the record of this decision cannot be read: ${messageOf(error)}`] };
    if (error instanceof ApiError && (error.code === 404 || error.code === 410)) return noRecord;
    throw error;
  }
}

function notesOf({ leftOut, yieldedTo, applied }: LoggedDecision): readonly string[] {
  return [
    ...(leftOut === 0 ? [] : [`${leftOut} pods and values are not kept in the trace`]),
    ...(yieldedTo === undefined ? [] : [`in shadow because ${yieldedTo} writes the replicas too`]),
    ...(applied === "scale-failed" ? ["the target could not be scaled"] : []),
  ];
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
    notes: verdict === "lagging" ? ["its status may follow within two periods"] : [],
  };
}
