// Reads the head of a vector file, and knows decision records from vectors.
import { defaultOptions, recordApiVersion, type SemanticsProfile, semanticsProfiles } from "@plimsoll/core";
import { isFields } from "@plimsoll/core/internal/values";
import { vectorKinds } from "./kinds/table.ts";
import { fieldOf, readList, readObject, readText, VectorError } from "./read.ts";

/** The kind of cases that hold decision records, which are of this project alone. */
export const recordKind = "record";

export interface VectorFile {
  readonly kind: string;
  readonly semantics: SemanticsProfile;
  readonly cases: readonly unknown[];
}

/** A decision record by itself counts as a file with one case. Throws VectorError. */
export function readVectorFile(content: unknown): VectorFile {
  if (isFields(content) && content["apiVersion"] === recordApiVersion) return recordsFile([content]);
  const file = readObject(content, "", ["format", "kind", "source", "semantics", "cases"]);
  if (file["format"] !== "plimsoll-vectors/1") throw new VectorError("format", "is not plimsoll-vectors/1");
  const kind = readText(file, "kind", "");
  if (kind !== recordKind && !vectorKinds.has(kind))
    throw new VectorError("kind", `unsupported kind ${JSON.stringify(kind)}`);
  return { kind, semantics: readSemantics(fieldOf(file, "semantics")), cases: readList(file, "cases", "") };
}

/** Records as a process keeps them: each is a case, named by its instant. */
export function recordsFile(records: readonly unknown[]): VectorFile {
  const cases = records.map((record, i) => ({
    name: `record ${i} of ${isFields(record) ? String(record["at"]) : "nothing"}`,
    records: [record],
  }));
  return { kind: recordKind, semantics: defaultOptions.semantics, cases };
}

function readSemantics(value: unknown): SemanticsProfile {
  if (value === undefined) return defaultOptions.semantics;
  const known = semanticsProfiles.find((profile) => profile === value);
  if (known === undefined) throw new VectorError("semantics", `unknown profile ${JSON.stringify(value)}`);
  return known;
}
