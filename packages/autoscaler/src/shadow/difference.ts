// The first difference between our decision and the built-in controller's, as the shadow report has it.
import { type Decision, firstDifference as differenceOf, type StatusDifference } from "@plimsoll/core";
import type { ScalingObject } from "../objects/scaling-object.ts";

/** The first link of the chain of reasons at which two controllers part, with what each has there. */
export type Difference = Pick<StatusDifference, "step" | "ours" | "theirs">;

/** The metric of a difference is part of its texts. */
export function firstDifference(
  decision: Decision,
  theirs: NonNullable<ScalingObject["status"]>,
): Difference | undefined {
  const found = differenceOf(decision, theirs);
  if (found === undefined) return undefined;
  const { step, metric, ours, theirs: other } = found;
  const at = metric === undefined ? "" : `[${metric}] `;
  return { step, ours: `${at}${ours}`, theirs: `${at}${other}` };
}
