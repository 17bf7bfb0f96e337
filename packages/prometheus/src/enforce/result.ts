// What a rewriting results in: a query that is safe to send, or why there is none.
import type { EnforcedSelector, QueryCost } from "./time.ts";

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

/** Nothing may be sent. */
export interface EnforceRefusal {
  readonly ok: false;
  readonly reason: EnforceReason;
  /** A sentence for the author of the query; it quotes at most 60 characters of the query. */
  readonly message: string;
  /** Where in the query, in UTF-16 code units; 0 and 0 where the options are refused. */
  readonly from: number;
  readonly to: number;
}

/** The query that may be sent. */
export interface EnforcedQuery {
  readonly ok: true;
  /** On one line, without comments, all strings in double quotes. */
  readonly query: string;
  /** Every selector of the query, in its order. Each has the matcher. */
  readonly selectors: readonly EnforcedSelector[];
  readonly cost: QueryCost;
}

export type EnforceResult = EnforcedQuery | EnforceRefusal;

/** A part of the query, in UTF-16 code units. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

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
