// The list for programs: plimsoll/status/v1.
import type { StatusRow } from "./table.ts";

/** Something that could not be read; the others are there. */
export interface ObjectError {
  readonly object: string;
  readonly message: string;
}

/** Fields are only added within one version of the schema. */
export interface StatusDocument {
  readonly schema: "plimsoll/status/v1";
  readonly at: string;
  readonly items: readonly StatusRow[];
  readonly counts: Readonly<Record<string, number>>;
  readonly notes: readonly string[];
  readonly errors: readonly ObjectError[];
}

export function statusDocument(
  at: string,
  list: Pick<StatusDocument, "items" | "counts" | "notes" | "errors">,
): StatusDocument {
  const { items, counts, notes, errors } = list;
  return { schema: "plimsoll/status/v1", at, items, counts, notes, errors };
}
