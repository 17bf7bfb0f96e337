// What a rewriting results in: a query that is safe to send, or why there is none.
import type { EnforceReason } from "./refused.ts";
import type { EnforcedSelector, QueryCost } from "./time.ts";

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
