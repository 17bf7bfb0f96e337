// Reads the durations and times of a parsed query.
import type { SyntaxNode } from "@lezer/common";
import { readNumberLiteral } from "./number-literal.ts";
import { Refused, type Span, shown } from "./refused.ts";

/** Of a `DurationExpr`, in milliseconds. @throws Refused when it is not longer than 0 */
export function durationOf(query: string, node: SyntaxNode): number {
  const durationMs = plainDuration(query, node);
  if (durationMs > 0) return durationMs;
  throw new Refused("Syntax", `${shown(query, node)} must be longer than 0`, node);
}

/** Of an `OffsetExpr`, in milliseconds; it may have a sign. @throws Refused */
export function offsetOf(query: string, node: SyntaxNode): number {
  const whole = node.getChild("OffsetDurationExpr") ?? node;
  const signed = whole.getChild("OffsetDurationExpr");
  const sign = whole.getChild("UnaryOp");
  const amount = plainDuration(query, signed !== null && sign !== null ? signed : whole);
  return sign !== null && query.slice(sign.from, sign.to) === "-" ? -amount : amount;
}

/** Of a `StepInvariantExpr`, in milliseconds since 1970; undefined for start() and end(). @throws Refused */
export function fixedTimeOf(query: string, node: SyntaxNode): number | undefined {
  // Before the @ there may be a number as well, which is refused elsewhere.
  const time = node.getChildren("NumberDurationLiteral", "At")[0];
  return time === undefined ? undefined : millisecondsOf(query, time);
}

function plainDuration(query: string, node: SyntaxNode): number {
  const literal = node.getChild("NumberDurationLiteralInDurationContext");
  const isPlain = literal !== null && literal.from === node.from && literal.to === node.to;
  if (isPlain) return millisecondsOf(query, literal);
  const message = `${shown(query, node)} is an expression; only plain durations such as 5m are supported here`;
  throw new Refused("Unsupported", message, node);
}

/** More milliseconds than a number counts exactly are no duration and no time. */
function millisecondsOf(query: string, span: Span): number {
  const { value = Number.NaN } = readNumberLiteral(query.slice(span.from, span.to)) ?? {};
  const milliseconds = Math.round(value * 1000);
  if (Number.isSafeInteger(milliseconds)) return milliseconds;
  throw new Refused("Syntax", `${shown(query, span)} is not a duration or a time in seconds`, span);
}
