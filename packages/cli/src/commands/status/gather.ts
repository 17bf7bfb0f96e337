// Gathers the rows: recorded where an endpoint answers, else recomputed.
import { forEachLimit } from "@plimsoll/component-base";
import { formatInstant, instantMs, summaryState } from "@plimsoll/core";
import { countsOf, isProblem, type SummaryRow, type SummarySort, severity } from "@plimsoll/decisions";
import { type KubeObject, resourcePath } from "@plimsoll/kube";
import type { Cluster } from "../../cluster/cluster.ts";
import { isClusterError } from "../../cluster/error-text.ts";
import type { Decisions } from "../../decisions/open.ts";
import { rowOf } from "../../decisions/summary-row.ts";
import { findObjects } from "../../objects/find.ts";
import { listObjects } from "../../objects/list.ts";
import type { ScalingObject } from "../../objects/scaling-object.ts";
import type { ObjectError } from "../../output/document.ts";
import { CliError } from "../../seams.ts";
import type { StatusFlags, StatusQuery } from "./flags.ts";
import { ratioNumber } from "./table.ts";

export interface StatusList {
  readonly rows: readonly SummaryRow[];
  /** Who wrote the replicas last, by the uid of the object; of those of which it was read. */
  readonly writers: ReadonlyMap<string, string>;
  /** Of all objects, those that are not shown included. */
  readonly total: number;
  readonly counts: Readonly<Record<string, number>>;
  /** Objects of which only the status is shown. */
  readonly statusOnly: number;
  readonly errors: readonly ObjectError[];
}

interface GatherStatus {
  readonly cluster: Cluster;
  readonly decisions: Decisions;
  readonly query: StatusQuery;
  readonly flags: StatusFlags;
  readonly nowMs: number;
}

export async function gatherStatus(names: readonly string[], gather: GatherStatus): Promise<StatusList> {
  const { cluster, query, nowMs, flags } = gather;
  const errors: ObjectError[] = [];
  const { rows, objects } = await allRows(names, gather, errors);
  const problems = query.isProblem ? rows.filter(isProblem) : rows;
  const recent = query.sinceMs === undefined ? problems : changedWithin(problems, query.sinceMs, nowMs);
  const needsWriter = flags.output !== "table" && flags.output !== "name";
  const shown = sorted(recent, query.sortBy);
  if (needsWriter && shown.length > query.limit)
    cluster.note(
      `read who wrote the replicas for the first ${query.limit} of ${shown.length} objects only (--limit)`,
    );
  return {
    rows: shown,
    writers: await writersOf(needsWriter ? shown.slice(0, query.limit) : [], objects, cluster),
    total: rows.length,
    counts: Object.fromEntries(Object.entries(countsOf(rows)).filter(([, count]) => count > 0)),
    statusOnly: rows.filter(({ source }) => source === "status").length,
    errors,
  };
}

interface Rows {
  readonly rows: readonly SummaryRow[];
  readonly objects: readonly ScalingObject[];
}

async function allRows(names: readonly string[], gather: GatherStatus, errors: ObjectError[]): Promise<Rows> {
  const { cluster, decisions, query } = gather;
  const { recorded, recomputing } = decisions;
  const objects = await namedOrAll(names, cluster, errors);
  if (recorded !== undefined) return { rows: await recordedRows(objects, gather, recorded), objects };
  const explained = await recomputing.explainAll(objects, query.limit);
  return { rows: explained.map(rowOf), objects };
}

/** The endpoint has rows of all that the autoscaler evaluates; of the others the status is shown. */
async function recordedRows(
  objects: readonly ScalingObject[],
  { cluster, nowMs }: GatherStatus,
  recorded: NonNullable<Decisions["recorded"]>,
): Promise<readonly SummaryRow[]> {
  const rows = new Map((await recorded.rows(cluster.scope)).map((row) => [row.uid, row]));
  const known = { source: "status", at: formatInstant(nowMs), assumptions: [], notes: [] } as const;
  return objects.map(({ identity, object }) => {
    const row = rows.get(identity.uid) ?? rowOf({ ...known, object: identity, served: object });
    return { min: object.spec.minReplicas ?? 1, max: object.spec.maxReplicas, ...row };
  });
}

async function namedOrAll(
  names: readonly string[],
  cluster: Cluster,
  errors: ObjectError[],
): Promise<readonly ScalingObject[]> {
  if (names.length === 0)
    return listObjects(cluster.client, { namespace: cluster.scope, selector: cluster.selector });
  return findObjects(cluster, names, (object, error) => {
    if (!isClusterError(error) && !(error instanceof CliError)) throw error;
    errors.push({ object, message: cluster.errorText(error) });
  });
}

const maxAtOnce = 8;

async function writersOf(
  rows: readonly SummaryRow[],
  objects: readonly ScalingObject[],
  cluster: Cluster,
): Promise<ReadonlyMap<string, string>> {
  const byUid = new Map(objects.map((object) => [object.identity.uid, object]));
  const writers = new Map<string, string>();
  await forEachLimit(maxAtOnce, rows, async ({ uid }) => {
    const object = byUid.get(uid);
    const writer = object === undefined ? undefined : await readCountWriter(cluster, object);
    if (writer !== undefined) writers.set(uid, writer);
  });
  return writers;
}

interface ManagedFields {
  readonly manager?: string;
  readonly time?: string;
  readonly fieldsV1?: { readonly "f:spec"?: { readonly "f:replicas"?: object } };
}

/** Undefined: no writer is noted, or the target may not be read. */
async function readCountWriter(
  { client, mapper }: Pick<Cluster, "client" | "mapper">,
  { object, identity }: ScalingObject,
): Promise<string | undefined> {
  try {
    const { apiVersion = "", kind, name } = object.spec.scaleTargetRef;
    const group = apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
    const [info] = await mapper.byKind(group, kind);
    if (info === undefined) return undefined;
    const target = await client.request<KubeObject>({
      path: resourcePath(info, identity.namespace, encodeURIComponent(name)),
      accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json",
    });
    return writerOf(target);
  } catch {
    return undefined;
  }
}

/** Of several that own the field the last one wrote it. */
function writerOf({ metadata }: KubeObject): string | undefined {
  const { managedFields = [] } = metadata as { readonly managedFields?: readonly ManagedFields[] };
  const [latest] = managedFields
    .filter(({ fieldsV1 }) => fieldsV1?.["f:spec"]?.["f:replicas"] !== undefined)
    .sort((a, b) => ((a.time ?? "") < (b.time ?? "") ? 1 : -1));
  return latest?.manager;
}

const comparisons: Readonly<Record<SummarySort, (a: SummaryRow, b: SummaryRow) => number>> = {
  name: () => 0,
  held: (a, b) => severity[summaryState(a)] - severity[summaryState(b)],
  ratio: (a, b) => (ratioNumber(b) ?? -1) - (ratioNumber(a) ?? -1),
  since: (a, b) => sinceMs(b) - sinceMs(a),
};

function sinceMs({ since }: SummaryRow): number {
  return (since === null ? undefined : instantMs(since)) ?? 0;
}

/** By name where the key says nothing: the rows come in that order. */
function sorted(rows: readonly SummaryRow[], key: SummarySort): readonly SummaryRow[] {
  return [...rows].sort(comparisons[key]);
}

/** Those that have been in their state for no longer. */
function changedWithin(rows: readonly SummaryRow[], withinMs: number, nowMs: number): readonly SummaryRow[] {
  return rows.filter((row) => row.since !== null && nowMs - sinceMs(row) <= withinMs);
}
