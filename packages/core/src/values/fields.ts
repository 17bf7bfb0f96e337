// Reads objects that others wrote: nothing in them is taken for granted.

/** A JSON object of unknown shape. */
export type Fields = Readonly<Record<string, unknown>>;

/** What is said of a field of a file, and what to do about it. */
export interface Remark {
  /** Such as `workloads[0].pod.start.ready`; empty for the whole. */
  readonly path: string;
  readonly value?: unknown;
  readonly message: string;
  readonly remedy: string;
}

/** Whether a value is an object with fields, so neither null nor a list. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value has members at all: an object or a list. */
export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Whether a field is left out or null. */
export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/** The same fields but those that are null, which count as absent. */
export function withoutNull<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as T;
}

/** Whether a value is an operation of a JSON patch; what its verb needs beside the path is not looked at. */
export function isPatchOperation(value: unknown): boolean {
  return isFields(value) && patchVerbs.has(String(value["op"])) && typeof value["path"] === "string";
}

const patchVerbs = new Set(["add", "remove", "replace", "move", "copy", "test"]);

/** The object itself, or an empty one for anything else. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** The names and values in an object or a list; none for anything else. */
export function membersOf(value: unknown): readonly (readonly [name: string, value: unknown])[] {
  return isObject(value) ? Object.entries(value) : [];
}

/** The list itself, or an empty one for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** The text itself, or an empty one for anything else. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
