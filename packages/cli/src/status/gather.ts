// Gathers the rows: recorded where an endpoint answers, else recomputed.
import { forEachLimit } from "@plimsoll/component-base";
import { formatInstant } from "@plimsoll/core";
import type { Cluster } from "../cluster/cluster.ts";
import { isClusterError } from "../cluster/error-text.ts";
import type { Decisions } from "../decisions/open.ts";
import type { SummaryRow } from "../decisions/source.ts";
import { countsOf, isProblem } from "../decisions/state.ts";
import { rowOf } from "../decisions/summary-row.ts";
import { findObjects } from "../objects/find.ts";
import { listObjects } from "../objects/list.ts";
import type { ScalingObject } from "../objects/scaling-object.ts";
import { CliError } from "../seams.ts";
import { readCountWriter } from "./count-writer.ts";
import type { ObjectError } from "./document.ts";
import type { StatusFlags, StatusQuery } from "./flags.ts";
import { changedWithin, sorted } from "./sort.ts";
import type { StatusRow } from "./table.ts";

export interface StatusList {
  readonly rows: readonly StatusRow[];
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
      `who wrote the replicas was read of the first ${query.limit} of ${shown.length} objects (--limit)`,
    );
  const written = needsWriter ? await withWriters(shown.slice(0, query.limit), objects, cluster) : [];
  return {
    rows: [...written, ...shown.slice(written.length)],
    total: rows.length,
    counts: countsOf(rows),
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
  const { items } = await recorded.list({ namespace: cluster.scope });
  const rows = new Map(items.map((row) => [row.uid, row]));
  return objects.map(({ identity, object }) => {
    const row = rows.get(identity.uid);
    const { minReplicas = 1, maxReplicas } = object.spec;
    if (row !== undefined) return { ...row, minReplicas, maxReplicas };
    return rowOf({
      source: "status",
      at: formatInstant(nowMs),
      object: identity,
      served: object,
      assumptions: [],
      notes: [],
    });
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

async function withWriters(
  rows: readonly SummaryRow[],
  objects: readonly ScalingObject[],
  cluster: Cluster,
): Promise<readonly StatusRow[]> {
  const byUid = new Map(objects.map((object) => [object.identity.uid, object]));
  const written: StatusRow[] = [];
  await forEachLimit(maxAtOnce, [...rows.entries()], async ([index, row]) => {
    const object = byUid.get(row.uid);
    const countWriter = object === undefined ? undefined : await readCountWriter(cluster, object);
    written[index] = countWriter === undefined ? row : { ...row, countWriter };
  });
  return written;
}
