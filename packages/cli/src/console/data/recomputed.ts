// Decisions that are made again here, with the user's rights, where no autoscaler of ours records them.
import { type Clock, cacheTiming, createBoundedCache } from "@plimsoll/component-base";
import { type DecisionRecord, encodeRecord, instantMs } from "@plimsoll/core";
import { redact } from "@plimsoll/core/redact";
import type { Cluster } from "../../cluster/cluster.ts";
import type { RecomputingSource } from "../../decisions/recomputing-source.ts";
import type { Explained, SummaryRow } from "../../decisions/source.ts";
import { rowOf } from "../../decisions/summary-row.ts";
import { listObjects } from "../../objects/list.ts";
import type { ObjectKey, RecomputedDecision } from "../documents.ts";
import { RequestError } from "../server/failure.ts";
import { createKeptValues } from "./kept-value.ts";
import type { DecisionData, Query } from "./source.ts";
import { invalid, pageOf, readLimit, type Snapshot } from "./summary-page.ts";

export interface RecomputedDeps {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly recomputing: RecomputingSource;
}

/** The controller decides this often; nothing is read more often. */
export const periodMs = 15_000;
const objectPeriodMs = 5_000;
/** Objects that are decided on in a list; of the others the status is shown. */
const maxRecomputed = 200;
const maxObjects = 10_000;
/** Of one object, and objects of which some are kept. */
const maxDecisions = 240;
const maxRecords = 20;
const maxOpenObjects = 50;
/** Longer than a browser is away from an object that it shows. */
const maxKeptMs = 24 * 3_600_000;

interface Remembered {
  readonly decision: RecomputedDecision;
  record: DecisionRecord | undefined;
}

export function recomputedData(deps: RecomputedDeps): DecisionData {
  const snapshots = createSnapshots(deps);
  const remembered = createMemory(deps);
  const noShadow = "only an autoscaler in shadow compares";
  return {
    source: "recomputed",
    via: "recomputed from live data",
    records: { ok: true },
    shadowPart: { ok: false, reason: noShadow },
    summary: (query) => snapshots.page(query),
    async decisions(object, query) {
      const limit = readLimit(query["limit"], { otherwise: maxRecords, max: 10_000 });
      const before = beforeOf(query);
      const all = await remembered.of(object);
      const items = all.map(({ decision }) => decision).filter(({ at }) => isBefore(at, before));
      return { items: items.slice(-limit) };
    },
    async record(object, query) {
      const before = beforeOf(query);
      const all = await remembered.of(object);
      const found = all.findLast(({ decision }) => isBefore(decision.at, before));
      if (found?.record === undefined)
        throw new RequestError(
          404,
          "NotFound",
          `inputs of the last ${maxRecords} recomputed decisions are kept`,
        );
      return encodeRecord(found.record);
    },
    shadow: () => Promise.reject(new RequestError(404, "NotFound", noShadow)),
  };
}

function beforeOf(query: Query): number {
  const text = query["before"];
  if (text === undefined) return Number.POSITIVE_INFINITY;
  const ms = instantMs(text);
  if (ms === undefined) throw invalid("before", "is no instant, such as 2026-11-22T10:00:02Z");
  return ms;
}

function isBefore(at: string, beforeMs: number): boolean {
  return (instantMs(at) ?? 0) < beforeMs;
}

/** Lists of a namespace, or of all: the newest of each, and those before it, in which pages may go on. */
function createSnapshots({ cluster, clock, recomputing }: RecomputedDeps) {
  const kept = createKeptValues<Snapshot>(clock, { keepMs: periodMs, idleShare: 4, max: 4 });
  const earlier: Snapshot[] = [];
  let lastId = 0;
  const read = async (namespace: string | undefined): Promise<Snapshot> => {
    let refused: string | undefined;
    const onRefused = (error: unknown) => (refused = cluster.errorText(error));
    const listed = await listObjects(cluster.client, { namespace, selector: cluster.selector, onRefused });
    const objects = listed.slice(0, maxObjects);
    const explained = await recomputing.explainAll(objects, maxRecomputed);
    const rows: readonly SummaryRow[] = explained.map((one) => redacted(rowOf(one)));
    lastId += 1;
    const notes = [...notesOf(listed.length), ...(refused === undefined ? [] : [refused])];
    const snapshot = { id: lastId, rows, notes };
    earlier.unshift(snapshot);
    earlier.length = Math.min(earlier.length, 3);
    return snapshot;
  };
  return {
    async page(query: Query) {
      const { namespace } = query;
      const newest = await kept.get(namespace ?? "", () => read(namespace));
      return pageOf(newest, earlier, query);
    },
  };
}

/** Errors of the cluster stand in it, in the words of servers that may repeat what they were sent. */
function redacted<T>(value: T): T {
  if (typeof value === "string") return redact(value) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => redacted(item)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, redacted(part as unknown)]),
  ) as T;
}

function notesOf(count: number): readonly string[] {
  return [
    ...(count > maxRecomputed
      ? [
          `The first ${maxRecomputed} objects are recomputed; of the others the status is shown. Choose a namespace.`,
        ]
      : []),
    ...(count > maxObjects ? [`${count - maxObjects} of ${count} objects are not shown.`] : []),
  ];
}

/** The decisions about objects that were opened. */
function createMemory({ clock, recomputing }: RecomputedDeps) {
  const kept = createKeptValues<readonly Remembered[]>(clock, {
    keepMs: objectPeriodMs,
    idleShare: 1,
    max: maxOpenObjects,
  });
  const lists = createBoundedCache<readonly Remembered[]>({
    ...cacheTiming(clock),
    name: "console_decisions",
    maxBytes: Number.MAX_SAFE_INTEGER,
    maxEntries: maxOpenObjects,
    ttlMs: maxKeptMs,
  });
  const read = async (key: string, object: ObjectKey): Promise<readonly Remembered[]> => {
    const identity = { ...object, uid: "", target: { kind: "", name: "" } };
    const explained = await recomputing.newest(identity);
    const before = (lists.get(key) ?? []).filter(({ decision }) => decision.uid === explained.object.uid);
    const all = [...before, remember(object, explained)].slice(-maxDecisions);
    for (const old of all.slice(0, -maxRecords)) old.record = undefined;
    lists.set(key, all);
    return all;
  };
  return {
    of(object: ObjectKey): Promise<readonly Remembered[]> {
      const key = JSON.stringify([object.resource, object.namespace, object.name]);
      return kept.get(key, () => read(key, object));
    },
  };
}

/** @throws RequestError where only the status is known. */
function remember(key: ObjectKey, explained: Explained): Remembered {
  const {
    decision,
    comparison,
    record,
    at,
    object,
    mode = "none",
    assumptions,
    notes,
    errors = [],
  } = explained;
  if (decision === undefined) {
    const words = [...errors, ...notes].join("; ");
    const [code, reason] = errors.length > 0 ? ([403, "Forbidden"] as const) : ([404, "NotFound"] as const);
    throw new RequestError(code, reason, `no decision can be recomputed: ${words}`);
  }
  return {
    record,
    decision: redacted({
      ...key,
      at,
      uid: object.uid,
      mode,
      applied: "nothing-to-do",
      decision,
      source: "recomputed",
      ...(comparison === undefined ? {} : { verdict: comparison.verdict, comparison }),
      assumptions,
      notes,
      errors,
    }),
  };
}
