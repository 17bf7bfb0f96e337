// What the console reads for its page: one method for each kind of address.
import type { Availability, DecisionReader, FindingsPage, HistoryPage, ObjectKey } from "@plimsoll/decisions";

/** Decisions, and how they are known. All of it throws ApiError, ConnectionError, CliError or RequestError. */
export interface DecisionData extends DecisionReader {
  readonly source: "recorded" | "recomputed";
  /** How the decisions are read, or why they are recomputed. */
  readonly via: string;
  readonly records: Availability;
  readonly shadowPart: Availability;
}

/** What the doctor finds, with the user's rights. */
export interface FindingsData {
  /** Undefined: all namespaces. */
  of(namespace: string | undefined): Promise<FindingsPage>;
  ofObject(object: ObjectKey): Promise<FindingsPage>;
}

export interface HistoryData {
  of(object: ObjectKey, query: URLSearchParams): Promise<HistoryPage>;
}
