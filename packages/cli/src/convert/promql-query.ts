// Checks PromQL that comes out of an object before a rule is made of it.
import { promqlProblem } from "@plimsoll/prometheus/syntax";
import type { Findings } from "./findings.ts";
import { maxPromql } from "./needed-rule.ts";

/** Deeper nesting than people write takes a parser long. */
const maxDepth = 100;

/** Whether a rule can be made of it; a problem says why not. */
export function isUsableQuery(query: string, path: string, findings: Findings): boolean {
  const message = sizeProblem(query) ?? promqlProblem(query);
  if (message === undefined) return true;
  findings.problem({
    path,
    value: query.slice(0, 200),
    message: `is no query: ${message}`,
    remedy: "correct it",
  });
  return false;
}

function sizeProblem(query: string): string | undefined {
  if (query.length > maxPromql)
    return `it has ${query.length} characters, and a query has ${maxPromql} at most`;
  let depth = 0;
  for (const char of query) {
    if ("([{".includes(char)) depth++;
    else if (")]}".includes(char)) depth--;
    if (depth > maxDepth) return `its brackets are nested more than ${maxDepth} deep`;
  }
  return undefined;
}

/** A query within another expression; a comment at its end must not hide what follows. */
export function within(query: string): string {
  const trimmed = query.trim();
  return trimmed.includes("#") || trimmed.includes("\n") ? `(\n${trimmed}\n)` : `(${trimmed})`;
}
