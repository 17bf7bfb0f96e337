// The result of going on from a decision, for programs: plimsoll/simulate-object/v1.
import type { HeldBy } from "@plimsoll/core";
import type { ObjectIdentity } from "../decisions/source.ts";

/** Fields are only added within one version of the schema. */
export interface SimulateObjectDocument {
  readonly schema: "plimsoll/simulate-object/v1";
  /** Of the decision that it goes on from. */
  readonly at: string;
  readonly object: ObjectIdentity;
  /** How long it goes on. */
  readonly seconds: number;
  readonly readyAfterSeconds: number;
  readonly load: "constant-total" | "constant-per-pod";
  /** Decisions that change the replicas. */
  readonly changes: readonly SimulatedChange[];
  /** Absent: nothing was decided. */
  readonly final?: { readonly replicas: number; readonly heldBy: HeldBy };
  readonly notes: readonly string[];
}

/** A change of the replicas. */
export interface SimulatedChange {
  readonly at: string;
  readonly afterSeconds: number;
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}
