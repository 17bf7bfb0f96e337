// Documents for programs: JSON, and the same as YAML.
import { printableJson } from "@plimsoll/component-base/text";
import { stringify } from "yaml";

export type DocumentFormat = "json" | "yaml";

export function isDocumentFormat(format: string): format is DocumentFormat {
  return format === "json" || format === "yaml";
}

/** Something that could not be read; the others are there. */
export interface ObjectError {
  readonly object: string;
  readonly message: string;
}

/** The document as text, with its line end. Fields that are undefined are left out of both forms. */
export function documentText(document: object, format: DocumentFormat): string {
  const text = JSON.stringify(document, jsonValue, 2);
  const shown = printableJson(text);
  if (format === "json") return `${shown}\n`;
  // By way of JSON, so that both have the same values; only quoted text has escapes.
  const quoted = { defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "QUOTE_DOUBLE" } as const;
  return printableJson(stringify(JSON.parse(text), { lineWidth: 0, ...(shown === text ? {} : quoted) }));
}

/** JSON on one line, with its line end. */
export function documentLine(document: object): string {
  return `${printableJson(JSON.stringify(document, jsonValue))}\n`;
}

/** What JSON has no form for: integers of any size, and numbers that are not finite, as text. */
export function jsonValue(_: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
}
