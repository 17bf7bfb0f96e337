// Pages of a list of rows that was read at one moment: the parameters of the autoscaler's summary, on rows of our own.
import { type SummaryState, summaryState } from "@plimsoll/core";
import type { SummaryRow } from "../../decisions/source.ts";
import { countsOf, isProblem } from "../../decisions/state.ts";
import type { SummaryPage } from "../documents.ts";
import { RequestError } from "../server/failure.ts";
import { pageRow } from "./page-row.ts";
import type { Query } from "./source.ts";

/** Rows of one scope, read at one moment. */
export interface Snapshot {
  /** Differs from that of every other snapshot. */
  readonly id: number;
  readonly rows: readonly SummaryRow[];
  readonly notes: readonly string[];
}

const sorts = ["name", "held", "ratio", "since"] as const;
type Sort = (typeof sorts)[number];

const defaultLimit = 500;
const maxLimit = 10_000;

/** `earlier` are snapshots that a page may go on in. @throws RequestError */
export function pageOf(newest: Snapshot, earlier: readonly Snapshot[], query: Query): SummaryPage {
  const limit = readLimit(query["limit"], { otherwise: defaultLimit, max: maxLimit });
  const sort = sorts.find((one) => one === (query["sort"] ?? "name"));
  if (sort === undefined) throw invalid("sort", `must be one of ${sorts.join(", ")}`);
  const { id, offset } = placeOf(query["continue"]);
  const snapshot = [newest, ...earlier].find((one) => one.id === id) ?? newest;
  const { rows, notes } = snapshot;
  const isFiltered = query["problem"] !== undefined && query["problem"] !== "false";
  const matching = isFiltered ? rows.filter(isProblem) : rows;
  const sorted = matching.toSorted(
    (a, b) => compare(valueOf(a, sort), valueOf(b, sort)) || compare(keyOf(a), keyOf(b)),
  );
  const items = sorted.slice(offset, offset + limit).map(pageRow);
  const end = offset + items.length;
  return {
    items,
    ...(end < sorted.length ? { continue: `${snapshot.id}.${end}` } : {}),
    total: sorted.length,
    counts: countsOf(rows),
    notes,
  };
}

export function readLimit(
  text: string | undefined,
  { otherwise, max }: { readonly otherwise: number; readonly max: number },
): number {
  if (text === undefined) return otherwise;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= max) return value;
  throw invalid("limit", `must be a whole number from 1 to ${max}`);
}

export function invalid(parameter: string, reason: string): RequestError {
  return new RequestError(400, "BadRequest", `the parameter ${parameter} ${reason}`);
}

function placeOf(token: string | undefined): { readonly id: number | undefined; readonly offset: number } {
  if (token === undefined) return { id: undefined, offset: 0 };
  const [, id, offset] = /^(\d{1,12})\.(\d{1,9})$/.exec(token) ?? [];
  if (id === undefined || offset === undefined) throw invalid("continue", "is not of a page before");
  return { id: Number(id), offset: Number(offset) };
}

const severity: Readonly<Record<SummaryState, number>> = {
  failed: 0,
  limited: 1,
  held: 2,
  moving: 3,
  disabled: 4,
  steady: 5,
};

function valueOf(row: SummaryRow, sort: Sort): number {
  switch (sort) {
    case "name":
      return 0;
    case "held":
      return severity[summaryState(row)];
    case "ratio":
      return -((row.decidedBy === null ? undefined : row.metrics[row.decidedBy]?.ratio) ?? -1);
    case "since":
      return row.since === null ? 0 : -Date.parse(row.since);
  }
}

function keyOf({ namespace, name, resource }: SummaryRow): string {
  return `${namespace}/${name}/${resource}`;
}

function compare<T extends number | string>(one: T, other: T): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
