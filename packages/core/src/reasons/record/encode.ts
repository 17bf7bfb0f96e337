// Encodes decision records as JSON, with values that JSON lacks.
import type { Fields } from "../../values/fields.ts";
import { readRecord } from "./read.ts";
import { type DecisionRecord, RecordError } from "./record.ts";

/** The key of an object that holds a value which JSON cannot represent. */
const tag = "$type";

/** A longer integer is refused, because reading it takes more than linear time. */
const maxDigits = 1000;
/** No record that `encodeRecord` wrote is nested this deep. */
const maxDepth = 200;

/**
 * A record as JSON text. A value that JSON cannot represent is an object with `$type`: numbers that are not finite,
 * minus zero, big integers, dates of client libraries, and `undefined` in a list. Elsewhere `undefined` is absent.
 */
export function encodeRecord(record: DecisionRecord): string {
  return JSON.stringify(encoded(record));
}

/**
 * A record from its JSON text: `encodeRecord` of it gives the same text. Only the record's own form is checked:
 * `decide` takes any data in `input` and `memory`, as it did when the record was made.
 *
 * @throws RecordError with the path and the value, when the text is not JSON or no such record.
 */
export function decodeRecord(text: string): DecisionRecord {
  return readRecord(decoded(parse(text), []));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RecordError("", `must be JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function encoded(value: unknown): unknown {
  if (typeof value === "bigint") return { [tag]: "bigint", value: String(value) };
  if (typeof value === "number") return encodedNumber(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value))
    return Array.from(value, (item) => (isAbsent(item) ? { [tag]: "undefined" } : encoded(item)));
  if ("toISOString" in value && typeof value.toISOString === "function")
    return { [tag]: "date", value: isoText(value as { toISOString(): unknown }) };
  if ("toJSON" in value && typeof value.toJSON === "function")
    return encoded((value as { toJSON(): unknown }).toJSON());
  const entries = Object.entries(value)
    .filter(([, item]) => !isAbsent(item))
    .map(([key, item]) => [key, encoded(item)] as const);
  // A label may have the name of the tag.
  if (Object.hasOwn(value, tag)) return { [tag]: "object", value: entries };
  return Object.fromEntries(entries);
}

function encodedNumber(value: number): unknown {
  if (Object.is(value, -0)) return { [tag]: "number", value: "-0" };
  return Number.isFinite(value) ? value : { [tag]: "number", value: String(value) };
}

/** What JSON leaves out of an object. */
function isAbsent(value: unknown): boolean {
  return value === undefined || typeof value === "function" || typeof value === "symbol";
}

/** Empty for an invalid date, which throws. */
function isoText(date: { toISOString(): unknown }): string {
  try {
    return String(date.toISOString());
  } catch {
    return "";
  }
}

/** `path` is that of the value; it is changed and restored on the way. */
function decoded(value: unknown, path: (string | number)[]): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (path.length > maxDepth) throw new RecordError("", `must not be nested deeper than ${maxDepth} levels`);
  const inner = (key: string | number, item: unknown): unknown => {
    path.push(key);
    const result = decoded(item, path);
    path.pop();
    return result;
  };
  if (Array.isArray(value)) return value.map((item, i) => inner(i, item));
  if (Object.hasOwn(value, tag)) return untagged(value as Fields, path, inner);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inner(key, item)]));
}

function untagged(
  { [tag]: type, value }: Fields,
  path: readonly (string | number)[],
  inner: (key: string, item: unknown) => unknown,
): unknown {
  switch (type) {
    case "bigint":
      if (typeof value === "string" && isInteger(value)) return BigInt(value);
      break;
    case "number":
      if (typeof value === "string" && taggedNumbers.has(value)) return Number(value);
      break;
    case "date":
      if (typeof value === "string") return { toISOString: () => value };
      break;
    case "object":
      if (Array.isArray(value) && value.every(isEntry))
        return Object.fromEntries(value.map(([key, item]) => [key, inner(key, item)]));
      break;
    case "undefined":
      return undefined;
    default:
  }
  throw new RecordError(pathText(path), "must be a value as encodeRecord writes it", { [tag]: type, value });
}

const taggedNumbers: ReadonlySet<string> = new Set(["NaN", "Infinity", "-Infinity", "-0"]);

function isInteger(text: string): boolean {
  return text.length <= maxDigits && /^-?\d+$/.test(text);
}

function isEntry(entry: unknown): entry is readonly [string, unknown] {
  return Array.isArray(entry) && entry.length === 2 && typeof entry[0] === "string";
}

function pathText(path: readonly (string | number)[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? key : `${text}.${key}`;
  }, "");
}
