// The state of an object in one word, by what holds its replicas.
import type { HeldBy } from "@plimsoll/core";
import type { SummaryRow } from "./source.ts";

export type ObjectState = "steady" | "moving" | "held" | "atLimit" | "withoutMetrics" | "disabled";

const stateOfHeldBy: Readonly<Record<HeldBy, ObjectState>> = {
  none: "steady",
  tolerance: "steady",
  direction: "steady",
  stabilize: "held",
  rate: "held",
  cooldown: "held",
  min: "atLimit",
  max: "atLimit",
  schedule: "atLimit",
  blocked: "withoutMetrics",
  failed: "withoutMetrics",
  selector: "withoutMetrics",
  disabled: "disabled",
};

export function stateOf({ action, heldBy }: Pick<SummaryRow, "action" | "heldBy">): ObjectState {
  return action === "scale" ? "moving" : stateOfHeldBy[heldBy];
}

/** Whether a person has to look at it: metrics that fail, or more wanted than a limit allows. */
export function isProblem(row: SummaryRow): boolean {
  const state = stateOf(row);
  return (
    state === "withoutMetrics" || state === "disabled" || row.verdict === "differs" || isAskingForMore(row)
  );
}

function isAskingForMore({ heldBy, proposed, desired }: SummaryRow): boolean {
  return heldBy === "max" && proposed !== null && proposed > desired;
}

/** How many objects are in each state. */
export function countsOf(rows: readonly SummaryRow[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const row of rows) counts[stateOf(row)] = (counts[stateOf(row)] ?? 0) + 1;
  return counts;
}

const wording: readonly (readonly [state: ObjectState, text: string])[] = [
  ["steady", "steady"],
  ["moving", "moving"],
  ["held", "held"],
  ["atLimit", "at a limit"],
  ["withoutMetrics", "without metrics"],
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
