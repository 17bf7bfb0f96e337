// Splits a parsed query into tokens that every PromQL server reads alike.
import type { SyntaxNode } from "@lezer/common";
import { quoteString } from "../matcher.ts";
import { unsupported } from "./nodes.ts";
import { readNumberLiteral } from "./number-literal.ts";
import { Refused, type Span, shown } from "./refused.ts";
import { readStringLiteral } from "./string-literal.ts";

/** A word, string, number or operator; brackets, commas and colons are between tokens. */
export interface Token extends Span {
  /** As it is sent; empty for a comment, which counts as a blank. */
  readonly text: string;
}

const WORD_OR_OPERATOR = /^(?:[a-zA-Z_:][a-zA-Z0-9_:]*|[-+*/%^<>=!~@]{1,2})$/;

/**
 * The tokens in their order. Every node of the tree is looked at, so that none is in a query that is not on the list.
 * @throws Refused
 */
export function tokensOf(query: string, top: SyntaxNode): readonly Token[] {
  const tokens: Token[] = [];
  const cursor = top.cursor();
  let end = 0;
  do {
    const { name, from, to } = cursor;
    const problem = unsupported(name);
    if (problem !== undefined)
      throw new Refused("Unsupported", `${shown(query, { from, to })}: ${problem}`, { from, to });
    if (name === "LineComment") checkComment(query, { from, to });
    // What is within an atom is a part of its token.
    if (from < end || !isToken(cursor.node)) continue;
    tokens.push({ from, to, text: tokenText(name, query, { from, to }) });
    end = to;
  } while (cursor.next());
  return tokens;
}

/** Brackets without anything between them are nodes without children. */
const brackets = ["PromQL", "LabelMatchers", "GroupingLabels", "FunctionCallBody"];

function isToken({ name, firstChild }: SyntaxNode): boolean {
  return isAtom(name) || (firstChild === null && !brackets.includes(name));
}

/** They are read as a whole, also with a comment within. */
function isAtom(name: string): boolean {
  return name === "StringLiteral" || name.startsWith("NumberDurationLiteral");
}

function tokenText(name: string, query: string, span: Span): string {
  if (name === "LineComment") return "";
  const source = query.slice(span.from, span.to);
  if (name === "StringLiteral") {
    const value = readStringLiteral(source);
    if (value !== undefined) return quoteString(value);
    throw new Refused("Syntax", `${shown(query, span)} is not a string that Prometheus reads`, span);
  }
  if (name.startsWith("NumberDurationLiteral")) {
    const number = readNumberLiteral(source);
    if (number !== undefined) return number.text;
    throw new Refused("Syntax", `${shown(query, span)} is not a number`, span);
  }
  if (WORD_OR_OPERATOR.test(source)) return source;
  throw new Refused("Unsupported", `${shown(query, span)} is not a word or an operator`, span);
}

/** For Prometheus a comment ends with a carriage return too, and what follows it would be a part of the query. */
function checkComment(query: string, { from, to }: Span): void {
  const at = query.slice(from, to).indexOf("\r");
  if (at >= 0 && from + at !== to - 1)
    throw new Refused("Syntax", "there is a carriage return within a comment: remove it", {
      from: from + at,
      to,
    });
}
