// Which rows of two vectors match: by the labels of `on`, or by all but those of `ignoring`.
import { labelsIn, partsOf, type SyntaxNode } from "@plimsoll/prometheus/tree";
import { type LabelSet, memoized, nameLabel, only, without } from "../labels.ts";
import { invalid } from "./refuse.ts";

/** What is written of `on`, `ignoring`, `group_left`, and `group_right`. */
export interface Matching {
  readonly isOn: boolean;
  /** Of `on` or `ignoring`. */
  readonly labels: readonly string[];
  /** The side that may have several rows for one of the other. */
  readonly many: "left" | "right" | undefined;
  /** Labels that are taken from the other side. */
  readonly included: readonly string[];
}

/** @throws Refused */
export function matchingOf(query: string, node: SyntaxNode): Matching {
  const clause = partsOf(node.getChild("MatchingModifierClause"));
  const at = clause.findIndex(({ name }) => name === "GroupLeft" || name === "GroupRight");
  const isOn = clause[0]?.name === "On";
  const labels = labelsIn(query, clause[1]?.name === "GroupingLabels" ? clause[1] : undefined);
  if (at < 0) return { isOn, labels, many: undefined, included: [] };
  const included = labelsIn(query, clause[at + 1]);
  const both = included.find((label) => isOn && labels.includes(label));
  if (both !== undefined) throw invalid(query, node, `${both} is in on() and in group_left or group_right`);
  return { isOn, labels, many: clause[at]?.name === "GroupLeft" ? "left" : "right", included };
}

/** Rows with the same text match. */
export function signature({ isOn, labels }: Matching): (found: LabelSet) => string {
  const names = new Set(isOn ? labels : [...labels, nameLabel]);
  return memoized((found) => (isOn ? only(found, names) : without(found, names)).key);
}
