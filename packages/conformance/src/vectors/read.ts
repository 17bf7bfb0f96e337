// Reads typed fields of vector files.
import { instantMs } from "@plimsoll/core";
import { type Fields, isFields } from "@plimsoll/core/internal/values";

/** Something in a vector file is not as the format has it; `path` says where. */
export class VectorError extends Error {
  override readonly name = "VectorError";
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/** An object with no other fields than these. */
export function readObject(value: unknown, path: string, fields: readonly string[]): Fields {
  if (!isFields(value)) throw new VectorError(path, "is not an object");
  for (const key of Object.keys(value)) {
    if (!fields.includes(key)) throw new VectorError(join(path, key), "unknown field");
  }
  return value;
}

/** The fields of a case that an implementation is asked; a field that is none of these nor `own` is an error. */
export function questionOf(given: unknown, asked: readonly string[], own: readonly string[]): Fields {
  const vector = readObject(given, "", [...asked, ...own]);
  return Object.fromEntries(Object.entries(vector).filter(([key]) => asked.includes(key)));
}

/** A text as it is, anything else as JSON. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

export function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

/** The value of a field; null counts as absent. */
export function fieldOf(object: Fields, key: string): unknown {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return value === null ? undefined : value;
}

export function readList(object: Fields, key: string, path: string): readonly unknown[] {
  const value = fieldOf(object, key);
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new VectorError(join(path, key), "is not a list");
  return value;
}

export function readText(object: Fields, key: string, path: string): string {
  const value = fieldOf(object, key);
  if (typeof value !== "string") throw new VectorError(join(path, key), "is not a string");
  return value;
}

export function readNumber(object: Fields, key: string, path: string): number {
  const value = fieldOf(object, key);
  if (typeof value !== "number") throw new VectorError(join(path, key), "is not a number");
  return value;
}

export function optionalNumber(object: Fields, key: string, path: string): number | undefined {
  return fieldOf(object, key) === undefined ? undefined : readNumber(object, key, path);
}

export function optionalText(object: Fields, key: string, path: string): string | undefined {
  return fieldOf(object, key) === undefined ? undefined : readText(object, key, path);
}

export function readInstant(object: Fields, key: string, path: string): number {
  const ms = instantMs(readText(object, key, path));
  if (ms === undefined) throw new VectorError(join(path, key), "is not a time");
  return ms;
}
