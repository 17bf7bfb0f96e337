// How many objects are in each state, and which of them a person has to look at.
import { type SummaryState, summaryState } from "@plimsoll/core";
import type { SummaryRow } from "./source.ts";

/** Whether a person has to look at it: metrics that fail, or more wanted than a limit allows. */
export function isProblem(row: SummaryRow): boolean {
  const state = summaryState(row);
  return state === "failed" || state === "disabled" || row.verdict === "differs" || isAskingForMore(row);
}

function isAskingForMore({ heldBy, proposed, desired }: SummaryRow): boolean {
  return heldBy === "max" && proposed !== null && proposed > desired;
}

/** How many objects are in each state. */
export function countsOf(rows: readonly SummaryRow[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const row of rows) {
    const state = summaryState(row);
    counts[state] = (counts[state] ?? 0) + 1;
  }
  return counts;
}

const wording: readonly (readonly [state: SummaryState, text: string])[] = [
  ["steady", "steady"],
  ["moving", "moving"],
  ["held", "held"],
  ["limited", "at a limit"],
  ["failed", "without metrics"],
  ["disabled", "disabled"],
];

/** "212 objects: 203 steady, 5 moving". */
export function countsText(total: number, counts: Readonly<Record<string, number>>): string {
  const parts = wording.flatMap(([state, text]) => {
    const count = counts[state] ?? 0;
    return count === 0 ? [] : [`${count} ${text}`];
  });
  const objects = `${total} object${total === 1 ? "" : "s"}`;
  return parts.length === 0 ? objects : `${objects}: ${parts.join(", ")}`;
}
