// Decisions that are made again here, with the user's rights, where no autoscaler of ours records them.
import { type Clock, cacheTiming, createBoundedCache } from "@plimsoll/component-base";
import { type DecisionRecord, encodeRecord, instantMs } from "@plimsoll/core";
import { redact } from "@plimsoll/core/redact";
import type { LoggedDecision, ObjectKey, SummaryPage, SummaryQuery, SummaryRow } from "@plimsoll/decisions";
import { pageOf, RequestError } from "@plimsoll/decisions/serve";
import type { Cluster } from "../../../cluster/cluster.ts";
import type { RecomputingSource } from "../../../decisions/recomputing-source.ts";
import type { Explained } from "../../../decisions/source.ts";
import { rowOf } from "../../../decisions/summary-row.ts";
import { listObjects } from "../../../objects/list.ts";
import { createKeptValues } from "./kept-value.ts";
import type { DecisionData } from "./source.ts";

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
  readonly decision: LoggedDecision;
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
    rows: snapshots.page,
    async decisions(object, { limit = maxRecords, before }) {
      return { items: (await kept(object, before)).slice(-limit).map(({ decision }) => decision) };
    },
    async record(object, { before }) {
      const record = (await kept(object, before)).at(-1)?.record;
      if (record !== undefined) return encodeRecord(record);
      throw RequestError.notFound(`inputs of the last ${maxRecords} recomputed decisions are kept`);
    },
    shadow: () => Promise.reject(RequestError.notFound(noShadow)),
  };

  async function kept(object: ObjectKey, before: string | undefined): Promise<readonly Remembered[]> {
    const beforeMs = before === undefined ? Number.POSITIVE_INFINITY : Date.parse(before);
    const all = await remembered.of(object);
    return all.filter(({ decision }) => (instantMs(decision.at) ?? 0) < beforeMs);
  }
}

/** The rows of a namespace, or of all, with what is to be said of them. */
interface Snapshot {
  readonly rows: readonly SummaryRow[];
  readonly notes: readonly string[];
}

function createSnapshots({ cluster, clock, recomputing }: RecomputedDeps) {
  const kept = createKeptValues<Snapshot>(clock, { keepMs: periodMs, idleShare: 4, max: 4 });
  const read = async (namespace: string | undefined): Promise<Snapshot> => {
    let refused: string | undefined;
    const onRefused = (error: unknown) => (refused = cluster.errorText(error));
    const listed = await listObjects(cluster.client, { namespace, selector: cluster.selector, onRefused });
    const objects = listed.slice(0, maxObjects);
    const explained = await recomputing.explainAll(objects, maxRecomputed);
    const notes = [...notesOf(listed.length), ...(refused === undefined ? [] : [refused])];
    return { rows: explained.map((one) => redacted(rowOf(one))), notes };
  };
  return {
    async page(query: SummaryQuery): Promise<SummaryPage> {
      const { namespace } = query;
      const { rows, notes } = await kept.get(namespace ?? "", () => read(namespace));
      return { ...pageOf(rows, query), notes };
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
    throw new RequestError({ code, reason, message: `no decision can be recomputed: ${words}` });
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
