// Which rows are shown, and in which order.
import { instantMs } from "@plimsoll/core";
import { type ObjectState, stateOf } from "../decisions/state.ts";
import type { StatusRow } from "./table.ts";
import { ratioNumber } from "./table.ts";

export const sortKeys = ["name", "held", "ratio", "since"] as const;
export type SortKey = (typeof sortKeys)[number];

/** What a person has to look at comes first. */
const order: readonly ObjectState[] = ["withoutMetrics", "disabled", "atLimit", "held", "moving", "steady"];

const comparisons: Readonly<Record<SortKey, (a: StatusRow, b: StatusRow) => number>> = {
  name: () => 0,
  held: (a, b) => order.indexOf(stateOf(a)) - order.indexOf(stateOf(b)),
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
