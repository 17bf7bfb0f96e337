// Parses PromQL without recovery from errors.
import type { SyntaxNode } from "@lezer/common";
import { parser } from "@prometheus-io/lezer-promql";
import { Refused } from "./refused.ts";

/** It throws where it would otherwise guess, so that no tree has an error in it. */
const strict = parser.configure({ strict: true });

const SHOWN = 40;

/** @throws Refused */
export function parseStrictly(query: string): SyntaxNode {
  if (query.trim() === "") throw new Refused("Syntax", "the query is empty", { from: 0, to: query.length });
  const parse = strict.startParse(query);
  try {
    for (;;) {
      const tree = parse.advance();
      if (tree !== null) return tree.topNode;
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const from = Math.min(parse.parsedPos, query.length);
    const rest = query.slice(from, from + SHOWN).trim();
    const message =
      rest === "" ? "the query ends too early" : `the query cannot be read from ${JSON.stringify(rest)} on`;
    throw new Refused("Syntax", message, { from, to: query.length });
  }
}
