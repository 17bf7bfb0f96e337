// Reads values at paths of JSON.
export type JsonRecord = Record<string, unknown>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The record at a path, or undefined where any step is missing or not a record. */
export function recordAt(value: unknown, ...path: readonly string[]): JsonRecord | undefined {
  const found = valueAt(value, ...path);
  return isRecord(found) ? found : undefined;
}

export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const step of path) {
    if (!isRecord(current)) return undefined;
    current = current[step];
  }
  return current;
}

export function stringAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = valueAt(value, ...path);
  return typeof found === "string" ? found : undefined;
}

export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const found = valueAt(value, ...path);
  return typeof found === "number" ? found : undefined;
}

/** The records of a list at a path; anything else there counts as empty. */
export function recordsAt(value: unknown, ...path: readonly string[]): JsonRecord[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found.filter(isRecord) : [];
}

/** The record at a key, made when it is not there yet. */
export function ensureRecord(parent: JsonRecord, key: string): JsonRecord {
  const found = parent[key];
  if (isRecord(found)) return found;
  const made: JsonRecord = {};
  parent[key] = made;
  return made;
}

/** Sets a value unless one is there already (null counts as absent, as in Go's decoding). */
export function setDefault(parent: JsonRecord, key: string, value: unknown): void {
  if (parent[key] === undefined || parent[key] === null) parent[key] = value;
}

export function setAt(root: JsonRecord, path: readonly string[], value: unknown): void {
  let current = root;
  for (const step of path.slice(0, -1)) current = ensureRecord(current, step);
  const last = path.at(-1);
  if (last !== undefined) current[last] = value;
}

export function cloneJson<T>(value: T): T {
  return cloned(value) as T;
}

function cloned(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(cloned);
  const copy: JsonRecord = {};
  for (const key of Object.keys(value)) {
    const item = cloned((value as JsonRecord)[key]);
    // Assigned, this one name would set the prototype.
    if (key === "__proto__") {
      Object.defineProperty(copy, key, { value: item, enumerable: true, configurable: true, writable: true });
    } else copy[key] = item;
  }
  return copy;
}
