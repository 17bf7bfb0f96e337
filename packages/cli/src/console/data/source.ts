// What the console reads for its page: one method for each kind of address.
import type { RelayedStream } from "../../endpoint/endpoint.ts";
import type { Availability, FindingsPage, HistoryPage, ObjectKey } from "../documents.ts";

/** Parameters of an address, those that the paths have; others are left out. */
export type Query = Readonly<Record<string, string>>;

/** Documents about decisions. All of it throws ApiError, ConnectionError, CliError or RequestError. */
export interface DecisionData {
  readonly source: "recorded" | "recomputed";
  /** How the decisions are read, or why they are recomputed. */
  readonly via: string;
  readonly records: Availability;
  readonly shadowPart: Availability;
  summary(query: Query): Promise<unknown>;
  decisions(object: ObjectKey, query: Query): Promise<unknown>;
  /** Text: a record is sent as it was encoded. */
  record(object: ObjectKey, query: Query): Promise<unknown>;
  shadow(): Promise<unknown>;
  /** Absent: the summary is polled. */
  stream?(request: RelayedStream): Promise<AsyncIterable<Uint8Array>>;
}

/** What the doctor finds, with the user's rights. */
export interface FindingsData {
  /** Undefined: all namespaces. */
  of(namespace: string | undefined): Promise<FindingsPage>;
  ofObject(object: ObjectKey): Promise<FindingsPage>;
}

export interface HistoryData {
  of(object: ObjectKey, query: Query): Promise<HistoryPage>;
}
