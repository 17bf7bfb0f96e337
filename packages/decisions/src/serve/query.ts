// The query of the summary: which rows, in which order, and how many.
import { type SummaryState, summaryState, summaryStates } from "@plimsoll/core";
import {
  type Resource,
  type SummaryPage,
  type SummaryQuery,
  type SummaryRow,
  type SummarySort,
  summarySorts,
} from "../documents.ts";
import { countsOf, isProblem, keyOf, ratioOf, severity } from "../summary/state.ts";
import { RequestError } from "./failure.ts";

/** Where a row stands in an order: by value, then by key. */
interface Place {
  readonly value: number;
  readonly key: string;
}

const defaultLimit = 500;
const maxLimit = 10_000;
const namespacePattern = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/** @throws RequestError */
export function readSummaryQuery(parameters: URLSearchParams): SummaryQuery {
  const namespace = checkNamespace(parameters);
  const limit = readLimit(parameters);
  const given = parameters.get("sort") ?? undefined;
  const sort = summarySorts.find((one) => one === given);
  if (sort !== given) throw RequestError.invalid("sort", `must be one of ${summarySorts.join(", ")}`);
  const problem = parameters.get("problem") ?? "false";
  if (problem !== "" && problem !== "true" && problem !== "false")
    throw RequestError.invalid("problem", "must be true or false");
  const query = { namespace, limit, sort, problem: problem !== "false" };
  const token = parameters.get("continue") ?? "";
  if (token === "") return query;
  placeFrom(token, sort);
  return { ...query, continue: token };
}

/** Undefined: all. @throws RequestError */
export function checkNamespace(parameters: URLSearchParams): string | undefined {
  const namespace = parameters.get("namespace") ?? undefined;
  if (namespace !== undefined && !namespacePattern.test(namespace))
    throw RequestError.invalid("namespace", "is not the name of one");
  return namespace;
}

/** @throws RequestError */
export function readLimit(parameters: URLSearchParams): number | undefined {
  const text = parameters.get("limit") ?? undefined;
  if (text === undefined) return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= maxLimit) return value;
  throw RequestError.invalid("limit", `must be a whole number from 1 to ${maxLimit}`);
}

/** RFC 3339. @throws RequestError */
export function readBefore(parameters: URLSearchParams): string | undefined {
  const text = parameters.get("before") ?? undefined;
  if (text === undefined || (/^\d{4}-\d{2}-\d{2}T/.test(text) && !Number.isNaN(Date.parse(text))))
    return text;
  throw RequestError.invalid("before", "must be a time such as 2026-11-22T10:00:00Z");
}

/** The page of these rows that the query asks for; of several pages, too, of which each has its own first rows. */
export function pageOf(rows: readonly SummaryRow[], query: SummaryQuery): SummaryPage {
  const inScope = rows.filter((row) => query.namespace === undefined || row.namespace === query.namespace);
  const counts = countsOf(inScope);
  const matching = query.problem === true ? inScope.filter(isProblem) : inScope;
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
  { sort, limit = defaultLimit, ...query }: SummaryQuery,
): Pick<SummaryPage, "items" | "continue"> {
  const after = query.continue === undefined ? undefined : placeFrom(query.continue, sort);
  const placed = rows.map((row) => ({ row, place: placeOf(row, sort) }));
  const rest = after === undefined ? placed : placed.filter(({ place }) => compare(place, after) > 0);
  rest.sort((one, other) => compare(one.place, other.place));
  const items = rest.slice(0, limit).map(({ row }) => row);
  const last = items.at(-1);
  return rest.length > limit && last !== undefined ? { items, continue: tokenOf(last, sort) } : { items };
}

function placeOf(row: SummaryRow, sort: SummarySort = "name"): Place {
  const key = keyOf(row);
  switch (sort) {
    case "name":
      return { value: 0, key };
    case "held":
      // A newer process can send what is unknown here.
      return { value: numberOr(severity[summaryState(row)], 0), key };
    case "ratio":
      // Objects that no metric decides come last.
      return { value: -numberOr(ratioOf(row), -1), key };
    case "since":
      return { value: -numberOr(Date.parse(row.since ?? ""), 0), key };
  }
}

function numberOr(value: number | undefined, otherwise: number): number {
  return value === undefined || Number.isNaN(value) ? otherwise : value;
}

function compare(one: Place, other: Place): number {
  if (one.value !== other.value) return one.value < other.value ? -1 : 1;
  if (one.key === other.key) return 0;
  return one.key < other.key ? -1 : 1;
}

function tokenOf(row: SummaryRow, sort: SummarySort = "name"): string {
  const { value, key } = placeOf(row, sort);
  return Buffer.from(JSON.stringify([sort, String(value), key])).toString("base64url");
}

/** @throws RequestError */
function placeFrom(token: string, sort: SummarySort = "name"): Place {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(token, "base64url").toString());
  } catch {
    // No token of ours.
  }
  const [of, value, key] = (Array.isArray(parts) ? parts : []) as readonly unknown[];
  const number = Number(value);
  if (of === sort && typeof key === "string" && !Number.isNaN(number)) return { value: number, key };
  throw RequestError.invalid("continue", "is not of a page with this order");
}

/** The rows of these resources. */
export function rowsOf(rows: readonly SummaryRow[], resources: ReadonlySet<Resource>): readonly SummaryRow[] {
  return rows.filter(({ resource }) => resources.has(resource));
}
