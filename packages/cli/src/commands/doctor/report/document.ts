// The document of `doctor -o json`, whose schema is published.
import type { Diagnosis, Finding, SkippedRule } from "@plimsoll/doctor";

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

interface SkippedGroup {
  readonly ids: readonly string[];
  readonly reason: string;
  /** Empty for what is about the cluster. */
  readonly objects: readonly string[];
}

/** Rules that could not be checked for one reason, on the same objects. */
export function groupsOf(skipped: readonly SkippedRule[]): readonly SkippedGroup[] {
  const byRule = new Map<string, { id: string; reason: string; objects: Set<string> }>();
  for (const { id, reason, object } of skipped) {
    const key = `${id} ${reason}`;
    const known = byRule.get(key) ?? { id, reason, objects: new Set<string>() };
    if (object.kind !== "Cluster") known.objects.add(`${object.namespace}/${object.name}`);
    byRule.set(key, known);
  }
  const groups = new Map<string, { ids: string[]; reason: string; objects: readonly string[] }>();
  for (const { id, reason, objects } of [...byRule.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const names = [...objects];
    const key = `${reason} ${names.join()}`;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { ids: [id], reason, objects: names });
    else known.ids.push(id);
  }
  return [...groups.values()];
}
