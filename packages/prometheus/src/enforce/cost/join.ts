// Reads the operands of an operation, and which side group_left or group_right copies labels from.
import type { SyntaxNode } from "@lezer/common";
import { labelsIn, partsOf } from "./arguments.ts";

export interface Join {
  readonly left: SyntaxNode;
  readonly right: SyntaxNode;
  /** Undefined without group_left and group_right. */
  readonly grouped?: {
    readonly isLeftMany: boolean;
    /** Those that are copied. */
    readonly labels: readonly string[];
    readonly isOn: boolean;
    /** Those of `on` or `ignoring`. */
    readonly matching: readonly string[];
  };
}

export function joinOf(query: string, node: SyntaxNode): Join | undefined {
  const parts = partsOf(node);
  const [left, right] = [parts[0], parts.at(-1)];
  if (left === undefined || right === undefined) return undefined;
  const clause = partsOf(node.getChild("MatchingModifierClause"));
  const at = clause.findIndex(({ name }) => name === "GroupLeft" || name === "GroupRight");
  if (at < 0) return { left, right };
  const grouped = {
    isLeftMany: clause[at]?.name === "GroupLeft",
    labels: labelsIn(query, clause[at + 1]),
    isOn: clause[0]?.name === "On",
    matching: labelsIn(query, clause[1]),
  };
  return { left, right, grouped };
}
