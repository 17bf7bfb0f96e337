// Which rows are shown, and in which order.
import { instantMs, type SummaryState, summaryState } from "@plimsoll/core";
import type { StatusRow } from "./table.ts";
import { ratioNumber } from "./table.ts";

export const sortKeys = ["name", "held", "ratio", "since"] as const;
export type SortKey = (typeof sortKeys)[number];

/** What a person has to look at comes first. */
const order: readonly SummaryState[] = ["failed", "disabled", "limited", "held", "moving", "steady"];

const comparisons: Readonly<Record<SortKey, (a: StatusRow, b: StatusRow) => number>> = {
  name: () => 0,
  held: (a, b) => order.indexOf(summaryState(a)) - order.indexOf(summaryState(b)),
  ratio: (a, b) => (ratioNumber(b) ?? -1) - (ratioNumber(a) ?? -1),
  since: (a, b) => sinceMs(b) - sinceMs(a),
};

function sinceMs({ since }: StatusRow): number {
  return (since === null ? undefined : instantMs(since)) ?? 0;
}

/** By name where the key says nothing: the rows come in that order. */
export function sorted(rows: readonly StatusRow[], key: SortKey): readonly StatusRow[] {
  return [...rows].sort(comparisons[key]);
}

/** Those that have been in their state for no longer. */
export function changedWithin(
  rows: readonly StatusRow[],
  withinMs: number,
  nowMs: number,
): readonly StatusRow[] {
  return rows.filter((row) => row.since !== null && nowMs - sinceMs(row) <= withinMs);
}
