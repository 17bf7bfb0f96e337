// The query of the summary: which rows, in which order, and how many.

import { type SummaryState, summaryState, summaryStates } from "@plimsoll/core";
import type { DecisionResource } from "../decisions/logged-decision.ts";
import { isProblem, type SummaryRow } from "../decisions/summary-row.ts";
import type { Failure } from "./status.ts";

export const summarySorts = ["name", "held", "ratio", "since"] as const;
export type SummarySort = (typeof summarySorts)[number];

/** Which rows of which objects. */
export interface SummaryQuery {
  /** Undefined: all. */
  readonly namespace: string | undefined;
  readonly limit: number;
  readonly sort: SummarySort;
  /** Only objects that are worth a look. */
  readonly isProblem: boolean;
  /** The row after which the page begins. */
  readonly after: Place | undefined;
}

/** A page of the summary, as it is served. */
export interface SummaryPage {
  readonly items: readonly SummaryRow[];
  /** To be sent with the next request; absent on the last page. */
  readonly continue?: string;
  /** Rows of all pages. */
  readonly total: number;
  /** Objects in each state, those included that a filter leaves out. */
  readonly counts: Readonly<Record<SummaryState, number>>;
  /** To be sent as Last-Event-ID, so that the stream begins where this page ends. */
  readonly lastEventId?: string;
}

/** Where a row stands in an order: by value, then by key. */
interface Place {
  readonly value: number;
  readonly key: string;
}

const defaultLimit = 500;
const maxLimit = 10_000;
const namespacePattern = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

export function isNamespace(text: string): boolean {
  return namespacePattern.test(text);
}

/** `parameters` are those of the address; the same one twice is a mistake. */
export function readSummaryQuery(parameters: URLSearchParams): SummaryQuery | Failure {
  const namespace = parameters.get("namespace") ?? undefined;
  if (namespace !== undefined && !isNamespace(namespace))
    return invalid("namespace", "is not the name of one");
  const limit = readLimit(parameters.get("limit"), { least: 1, most: maxLimit, otherwise: defaultLimit });
  if (typeof limit !== "number") return limit;
  const sort = summarySorts.find((one) => one === (parameters.get("sort") ?? "name"));
  if (sort === undefined) return invalid("sort", `must be one of ${summarySorts.join(", ")}`);
  const problem = parameters.get("problem") ?? "false";
  if (problem !== "" && problem !== "true" && problem !== "false")
    return invalid("problem", "must be true or false");
  const token = parameters.get("continue");
  const after = token === null || token === "" ? undefined : placeFrom(token, sort);
  if (after === "invalid") return invalid("continue", "is not of a page with this order");
  return { namespace, limit, sort, isProblem: problem !== "false", after };
}

/** A whole number within its bounds. */
export function readLimit(
  text: string | null,
  { least, most, otherwise }: { readonly least: number; readonly most: number; readonly otherwise: number },
): number | Failure {
  if (text === null) return otherwise;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return value >= least && value <= most
    ? value
    : invalid("limit", `must be a whole number from ${least} to ${most}`);
}

export function invalid(parameter: string, reason: string): Failure {
  return { code: 400, reason: "BadRequest", message: `the parameter ${parameter} ${reason}` };
}

/** The page of these rows that the query asks for; of several pages, too, of which each has its own first rows. */
export function pageOf(rows: readonly SummaryRow[], query: SummaryQuery): SummaryPage {
  const inScope = rows.filter((row) => query.namespace === undefined || row.namespace === query.namespace);
  const counts = Object.fromEntries(summaryStates.map((state) => [state, 0])) as Record<SummaryState, number>;
  for (const row of inScope) counts[summaryState(row)]++;
  const matching = query.isProblem ? inScope.filter(isProblem) : inScope;
  return { ...firstRows(matching, query), total: matching.length, counts };
}

/** Pages of several processes, each over its own objects, as one. */
export function mergedPage(pages: readonly SummaryPage[], query: SummaryQuery): SummaryPage {
  const counts = Object.fromEntries(
    summaryStates.map((state) => [state, pages.reduce((sum, page) => sum + (page.counts[state] ?? 0), 0)]),
  ) as Record<SummaryState, number>;
  const total = pages.reduce((sum, page) => sum + page.total, 0);
  const first = firstRows(
    pages.flatMap(({ items }) => items),
    query,
  );
  // A page that goes on has rows behind the last of its own, hence behind the last of these.
  const goesOn = first.continue !== undefined || pages.some((page) => page.continue !== undefined);
  const last = first.items.at(-1);
  return {
    items: first.items,
    ...(goesOn && last !== undefined ? { continue: tokenOf(last, query.sort) } : {}),
    total,
    counts,
  };
}

function firstRows(
  rows: readonly SummaryRow[],
  { sort, after, limit }: SummaryQuery,
): Pick<SummaryPage, "items" | "continue"> {
  const placed = rows.map((row) => ({ row, place: placeOf(row, sort) }));
  const rest = after === undefined ? placed : placed.filter(({ place }) => compare(place, after) > 0);
  rest.sort((one, other) => compare(one.place, other.place));
  const items = rest.slice(0, limit).map(({ row }) => row);
  const last = items.at(-1);
  return rest.length > limit && last !== undefined ? { items, continue: tokenOf(last, sort) } : { items };
}

const severity: Readonly<Record<SummaryState, number>> = {
  failed: 0,
  limited: 1,
  held: 2,
  moving: 3,
  disabled: 4,
  steady: 5,
};

function placeOf(row: SummaryRow, sort: SummarySort): Place {
  const key = `${row.namespace}/${row.name}/${row.resource}`;
  switch (sort) {
    case "name":
      return { value: 0, key };
    case "held":
      return { value: severity[summaryState(row)], key };
    case "ratio":
      return { value: -ratioOf(row), key };
    case "since":
      return { value: -Date.parse(row.since), key };
  }
}

/** Of the metric that decides; objects without one come last. */
function ratioOf({ metrics, decidedBy }: SummaryRow): number {
  const ratio = decidedBy === null ? undefined : Number(metrics[decidedBy]?.ratio ?? Number.NaN);
  return ratio === undefined || Number.isNaN(ratio) ? -1 : ratio;
}

function compare(one: Place, other: Place): number {
  if (one.value !== other.value) return one.value < other.value ? -1 : 1;
  if (one.key === other.key) return 0;
  return one.key < other.key ? -1 : 1;
}

function tokenOf(row: SummaryRow, sort: SummarySort): string {
  const { value, key } = placeOf(row, sort);
  return Buffer.from(JSON.stringify([sort, String(value), key])).toString("base64url");
}

function placeFrom(token: string, sort: SummarySort): Place | "invalid" {
  try {
    const parts: unknown = JSON.parse(Buffer.from(token, "base64url").toString());
    if (!Array.isArray(parts)) return "invalid";
    const [of, value, key] = parts as readonly unknown[];
    const number = Number(value);
    if (of !== sort || typeof key !== "string" || Number.isNaN(number)) return "invalid";
    return { value: number, key };
  } catch {
    return "invalid";
  }
}

/** The rows of these resources. */
export function rowsOf(
  rows: readonly SummaryRow[],
  resources: ReadonlySet<DecisionResource>,
): readonly SummaryRow[] {
  return rows.filter(({ resource }) => resources.has(resource));
}
