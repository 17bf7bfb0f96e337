// Bounds the work before a query is parsed.
import { Refused } from "./refused.ts";

/** What a query may have. Defaults in brackets. */
export interface EnforceLimits {
  /** UTF-16 code units [4096]. */
  readonly length: number;
  /** Brackets within brackets [50]. */
  readonly nesting: number;
  /** Operators, signs, ranges, subqueries, `@` and `offset`, all together [200]. */
  readonly operators: number;
  /** Selectors of series [50]. */
  readonly selectors: number;
}

export const defaultLimits: EnforceLimits = { length: 4_096, nesting: 50, operators: 200, selectors: 50 };

/** Strings and comments are read over, and end with the query where they are not closed. */
const PART =
  /"(?:\\.|[^"\\])*(?:"|\\?$)|'(?:\\.|[^'\\])*(?:'|\\?$)|`[^`]*(?:`|$)|#[^\n]*|(?<open>[([{])|(?<close>[)\]}])|(?<operator>[-+*/%^<>=!~@]|\b(?:and|or|unless|atan2|offset)\b)/gis;

/**
 * The parser needs time in proportion to the length times the depth of what is open, and depth comes from brackets and
 * operators only. Whatever is counted here is refused before it is parsed.
 * @throws Refused
 */
export function checkSize(query: string, limits: EnforceLimits): void {
  if (query.length > limits.length) {
    const message = `the query has ${query.length} characters; at most ${limits.length} are allowed`;
    throw new Refused("TooLarge", message, { from: limits.length, to: query.length });
  }
  let operators = 0;
  const open: string[] = [];
  for (const { groups, index } of query.matchAll(PART)) {
    const bracket = groups?.["open"];
    if (bracket !== undefined) open.push(bracket);
    if (groups?.["close"] !== undefined) open.pop();
    // In braces there are matchers, which do not nest.
    if ((groups?.["operator"] !== undefined && open.at(-1) !== "{") || bracket === "[") operators += 1;
    const problem = sizeProblem(open.length, operators, limits);
    if (problem !== undefined) throw new Refused("TooLarge", problem, { from: index, to: query.length });
  }
}

function sizeProblem(nesting: number, operators: number, limits: EnforceLimits): string | undefined {
  if (nesting > limits.nesting) return `brackets are nested more than ${limits.nesting} deep`;
  if (operators > limits.operators)
    return `there are more than ${limits.operators} operators, ranges and offsets`;
  return undefined;
}
