// Ends a rewriting, with the reason and the place.
import type { SyntaxNode } from "@lezer/common";

/**
 * - `InvalidLabel`, `InvalidNamespace`: the options cannot be written as a matcher.
 * - `TooLarge`: a limit is exceeded.
 * - `Syntax`: it is not PromQL.
 * - `Unsupported`: it is PromQL, with a part that is not on the list of what may be sent.
 * - `NamespaceMatcher`: a selector has a matcher of the enforced label already.
 */
export type EnforceReason =
  | "InvalidLabel"
  | "InvalidNamespace"
  | "TooLarge"
  | "Syntax"
  | "Unsupported"
  | "NamespaceMatcher";

/** A part of the query, in UTF-16 code units. */
export type Span = Readonly<Pick<SyntaxNode, "from" | "to">>;

const SHOWN = 60;

/** Ends the rewriting. Never leaves this folder. */
export class Refused extends Error {
  readonly reason: EnforceReason;
  readonly from: number;
  readonly to: number;

  constructor(reason: EnforceReason, message: string, { from, to }: Span) {
    super(message);
    this.reason = reason;
    this.from = from;
    this.to = to;
  }
}

/** The start of a part of the query, in quotes. */
export function shown(query: string, { from, to }: Span): string {
  const part = query.slice(from, Math.min(to, from + SHOWN));
  return JSON.stringify(to - from > SHOWN ? `${part}…` : part);
}
