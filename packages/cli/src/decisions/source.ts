// Where the decisions come from that commands show: recorded by the autoscaler, recomputed, or out of a status.
import type { OtherWriter } from "@plimsoll/core";
import type { Source, SummaryRow } from "@plimsoll/decisions";
import type { Finding } from "@plimsoll/doctor";
import type { ObjectEvent, Recomputed, ServedObject } from "@plimsoll/observe";
import type { ObjectIdentity } from "../objects/scaling-object.ts";

/** One decision, and how it is known; what was not recomputed has less. */
export interface Explained
  extends Partial<Omit<Recomputed, "isReadable" | "assumptions" | "notes">>,
    Pick<Recomputed, "assumptions" | "notes"> {
  readonly source: Source;
  /** When it was decided, RFC 3339. */
  readonly at: string;
  readonly object: ObjectIdentity;
  /** Such as "shadow" or "active"; absent: no autoscaler of ours has the object. */
  readonly mode?: SummaryRow["mode"];
  /** The decision before, where it was asked for. */
  readonly previous?: Pick<WithDecision, "at" | "decision" | "record">;
  /** Another client that writes the status or the replicas; absent: none, or it is not recorded. */
  readonly otherWriter?: OtherWriter;
  /** The object as the API server has it, where it was read. */
  readonly served?: ServedObject;
  /** Its events, oldest first, where there is no decision. */
  readonly events?: readonly ObjectEvent[];
  /** What the rules of the doctor find in the decision; absent: they were not asked. */
  readonly findings?: readonly Finding[];
}

/** Not only the status of the object is known. */
export type WithDecision = Explained & Required<Pick<Explained, "decision">>;

/** What is read beside a decision and its record. */
export interface Wanted {
  /** The decision before, with its record. */
  readonly previous: boolean;
}

/** Reads the decisions of one object. */
export interface DecisionSource {
  /** What the first line says: "recorded" by the autoscaler, or "recomputed". */
  readonly kind: "recorded" | "recomputed";
  newest(object: ObjectIdentity, wanted?: Wanted): Promise<Explained>;
  /** The last one before an instant. @throws CliError where none is kept. */
  at(object: ObjectIdentity, atMs: number, wanted?: Wanted): Promise<Explained>;
  /** So many decisions before the newest. @throws CliError where none is kept. */
  back(object: ObjectIdentity, count: number, wanted?: Wanted): Promise<Explained>;
}

/** What an autoscaler has recorded. */
export interface RecordedSource extends DecisionSource {
  /** The newest ones that are kept, oldest first, without their records. @throws CliError */
  last(object: ObjectIdentity, count: number): Promise<readonly Explained[]>;
  /** The newest decision about each object of a namespace, or of all. */
  rows(namespace: string | undefined): Promise<readonly SummaryRow[]>;
}
