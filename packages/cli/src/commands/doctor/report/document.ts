// The document of `doctor -o json`, whose schema is published.
import type { Diagnosis, Finding } from "@plimsoll/doctor";
import { groupsOf } from "./skipped.ts";

/** What was examined, and what came of it. */
export interface Examined {
  readonly diagnosis: Diagnosis;
  /** RFC 3339. */
  readonly at: string;
  readonly notes: readonly string[];
  readonly errors: readonly DoctorError[];
}

/** Something that was named and could not be examined. */
export interface DoctorError {
  /** As it was named; "" for a place in a file. */
  readonly object: string;
  readonly message: string;
}

/** Schema plimsoll/doctor/v1. */
export interface DoctorDocument {
  readonly schema: "plimsoll/doctor/v1";
  /** RFC 3339. */
  readonly at: string;
  readonly findings: readonly Finding[];
  readonly skipped: readonly {
    readonly id: string;
    /** Such as "may not list nodes". */
    readonly reason: string;
    /** "NAMESPACE/NAME"; empty for a rule about the cluster. */
    readonly objects: readonly string[];
  }[];
  readonly checked: Diagnosis["checked"];
  readonly notes: readonly string[];
  readonly errors: readonly DoctorError[];
}

export function documentOf({ diagnosis, at, notes, errors }: Examined): DoctorDocument {
  const { findings, skipped, checked } = diagnosis;
  return {
    schema: "plimsoll/doctor/v1",
    at,
    findings,
    skipped: groupsOf(skipped).flatMap(({ ids, reason, objects }) =>
      ids.map((id) => ({ id, reason, objects })),
    ),
    checked,
    notes,
    errors,
  };
}
