// Which rows are shown, and in which order.
import { instantMs, summaryState } from "@plimsoll/core";
import { type SummaryRow, type SummarySort, severity } from "@plimsoll/decisions";
import { ratioNumber } from "./table.ts";

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
export function sorted(rows: readonly SummaryRow[], key: SummarySort): readonly SummaryRow[] {
  return [...rows].sort(comparisons[key]);
}

/** Those that have been in their state for no longer. */
export function changedWithin(
  rows: readonly SummaryRow[],
  withinMs: number,
  nowMs: number,
): readonly SummaryRow[] {
  return rows.filter((row) => row.since !== null && nowMs - sinceMs(row) <= withinMs);
}
