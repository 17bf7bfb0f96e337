// Reads single values of objects, and says what is wrong with them.
import { type Fields, fieldsOf } from "@plimsoll/core/internal/values";
import type { Findings } from "./findings.ts";

/** Reads the fields of one object at a path. */
export interface FieldReader {
  readonly path: string;
  readonly value: Fields;
  at(field: string): string;
  /** A text; a number or a boolean counts as its text. Undefined when absent, or refused. */
  text(field: string): string | undefined;
  /** The same, refused when it is absent or empty. */
  requiredText(field: string): string | undefined;
  whole(field: string, smallest: number): number | undefined;
  flag(field: string): boolean | undefined;
  list(field: string): readonly unknown[];
  /** The object in a field. */
  inner(field: string): FieldReader;
  /** Refuses fields that are not named, as the API server drops them. */
  onlyKnown(known: readonly string[], what: string): void;
}

const maxInt32 = 2 ** 31 - 1;

export function fieldReader(value: unknown, path: string, findings: Findings): FieldReader {
  const fields = fieldsOf(value);
  const at = (field: string) => fieldPath(path, field);
  const refuse = (field: string, message: string, remedy: string) => {
    const found = fields[field];
    const shown = found === undefined ? {} : { value: found };
    findings.problem({ path: at(field), ...shown, message, remedy });
    return undefined;
  };
  const isAbsent = (field: string) => fields[field] === undefined || fields[field] === null;
  const text = (field: string) => {
    if (isAbsent(field)) return undefined;
    const found = textOf(fields[field]);
    return found ?? refuse(field, "is not a string", "use a string");
  };
  return {
    path,
    value: fields,
    at,
    text,
    requiredText: (field) => {
      const found = text(field);
      if (found !== undefined && found.trim() !== "") return found;
      return isAbsent(field) || found !== undefined ? refuse(field, "is missing", "add it") : undefined;
    },
    whole: (field, smallest) => {
      if (isAbsent(field)) return undefined;
      const found = fields[field];
      if (typeof found === "number" && Number.isInteger(found) && found >= smallest && found <= maxInt32)
        return found;
      const isQuoted = typeof found === "string" && /^\d+$/.test(found);
      const remedy = isQuoted ? `write it without quotation marks: ${found}` : "correct it";
      return refuse(field, `is not a whole number of at least ${smallest}`, remedy);
    },
    flag: (field) => {
      if (isAbsent(field)) return undefined;
      const found = fields[field];
      return typeof found === "boolean" ? found : refuse(field, "must be true or false", "write one");
    },
    list: (field) => {
      if (isAbsent(field)) return [];
      const found = fields[field];
      if (Array.isArray(found)) return found as readonly unknown[];
      refuse(field, "is not a list", "write a list");
      return [];
    },
    inner: (field) => {
      const found = fields[field];
      if (!isAbsent(field) && (typeof found !== "object" || Array.isArray(found)))
        refuse(field, "is not a mapping", "put its fields below it");
      return fieldReader(found, at(field), findings);
    },
    onlyKnown: (known, what) => {
      for (const field of Object.keys(fields)) {
        if (known.includes(field) || isAbsent(field)) continue;
        refuse(field, `is not a field of ${what}`, "correct its name, or remove it");
      }
    },
  };
}

/** A field's path; names with other characters than those of fields are in quotation marks. */
export function fieldPath(path: string, field: string): string {
  if (!/^[A-Za-z0-9_$-]+$/.test(field)) return `${path}[${JSON.stringify(field)}]`;
  return path === "" ? field : `${path}.${field}`;
}

/** Values of a mapping of texts are often written without quotation marks. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

/** A number of Go's notation; undefined for anything else, infinities included. */
export function decimal(text: string): number | undefined {
  if (text.length > 64 || !/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text.trim())) return undefined;
  const found = Number(text);
  return Number.isFinite(found) ? found : undefined;
}

/** A number in thousandths as the text of a quantity. */
export function quantityText(value: number): string {
  const thousandths = Math.round(value * 1000);
  return Number.isSafeInteger(thousandths) ? String(thousandths / 1000) : String(value);
}
