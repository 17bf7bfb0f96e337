// What a server of decisions reads them by: from a log, from live data, or over HTTP from another server.
import type { DecisionList, ObjectKey, ShadowSummary, SummaryPage, SummaryQuery } from "./documents.ts";

/** Which decisions about one object. */
export interface DecisionsQuery {
  /** Absent: as many as the server likes to give. */
  readonly limit?: number | undefined;
  /** RFC 3339; absent is after everything. */
  readonly before?: string | undefined;
}

export interface StreamQuery {
  /** Undefined: all. */
  readonly namespace?: string | undefined;
  /** The event after which it begins; undefined: with what is new. */
  readonly lastEventId?: string | undefined;
  readonly signal: AbortSignal;
}

/** One method for each kind of document, which is what is sent. */
export interface DecisionReader {
  rows(query: SummaryQuery): Promise<SummaryPage>;
  /** Oldest first. */
  decisions(object: ObjectKey, query: DecisionsQuery): Promise<DecisionList>;
  /** The text of the newest record before an instant, as `encodeRecord` writes it. */
  record(object: ObjectKey, query: Pick<DecisionsQuery, "before">): Promise<string>;
  shadow(): Promise<ShadowSummary>;
  /** Server-sent events, as fast as they are read. Absent: the rows are read again. */
  subscribe?(query: StreamQuery): Promise<AsyncIterable<string | Uint8Array>>;
}
