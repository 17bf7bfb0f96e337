// Reads booleans as Go does: annotations and settings of triggers are text.
import type { Findings } from "./findings.ts";
import type { FieldReader } from "./values.ts";

/** A text that Go reads as a boolean; undefined when absent, or refused. */
export function readGoBoolean(reader: FieldReader, field: string, findings: Findings): boolean | undefined {
  const text = reader.text(field);
  if (text === undefined || text === "") return undefined;
  const found = goBoolean(text);
  if (found === undefined) {
    const message = "must be true or false";
    findings.problem({ path: reader.at(field), value: text, message, remedy: "correct it" });
  }
  return found;
}

export function goBoolean(text: string): boolean | undefined {
  if (/^(?:1|t|T|TRUE|true|True)$/.test(text)) return true;
  return /^(?:0|f|F|FALSE|false|False)$/.test(text) ? false : undefined;
}
