// What the rows of a summary come to: which need a look, in which order, and how many are in each state.
import { otherWriterNote, type SummaryState, summaryState } from "@plimsoll/core";
import type { ObjectKey, SummaryRow } from "../documents.ts";

/** Whether a person should look at it: no metric could be read, the maximum is too low, or two controllers disagree. */
export function isProblem(row: SummaryRow): boolean {
  return problemOf(row) !== undefined;
}

/** The same in words; undefined: no person has to look at it. */
export function problemOf(row: SummaryRow): string | undefined {
  if (summaryState(row) === "failed") return "the replicas could not be decided";
  if (isCapped(row)) {
    const wanted = row.proposed === null ? "more replicas" : row.proposed;
    return `metrics call for ${wanted}, but maxReplicas is ${row.max ?? row.desired}`;
  }
  if (row.mode === "yielded") return "another controller writes the status, so the autoscaler yields";
  if (row.otherWriter !== undefined) return otherWriterNote(row.otherWriter);
  return row.verdict === "differs" ? "the status differs from the result of the rules" : undefined;
}

/** The maximum keeps replicas away that are wanted now. A status has no proposal; below it the maximum was lowered. */
function isCapped({ heldBy, proposed, current, desired }: SummaryRow): boolean {
  return heldBy === "max" && (proposed === null ? desired >= current : proposed > desired);
}

/** What a person has to look at comes first. A target at 0 replicas was put there. */
export const severity: Readonly<Record<SummaryState, number>> = {
  failed: 0,
  limited: 1,
  held: 2,
  moving: 3,
  disabled: 4,
  steady: 5,
};

/** Of the metric that decides; NaN where none does. */
export function ratioOf({ metrics, decidedBy }: Pick<SummaryRow, "metrics" | "decidedBy">): number {
  return Number((decidedBy === null ? undefined : metrics[decidedBy]?.ratio) ?? Number.NaN);
}

/** How many objects are in each state. */
export function countsOf(rows: Iterable<SummaryRow>): Readonly<Record<SummaryState, number>> {
  const counts = { steady: 0, moving: 0, held: 0, limited: 0, failed: 0, disabled: 0 };
  for (const row of rows) counts[summaryState(row)]++;
  return counts;
}

/** One text for each object; rows are in the order of these where nothing else decides. */
export function keyOf({ resource, namespace, name }: ObjectKey): string {
  return `${namespace}/${name}/${resource}`;
}
