import { isDeepStrictEqual } from "node:util";
import type { MergeSchema } from "../patch/merge-schema.ts";
import { isRecord, type JsonRecord } from "../storage/json-value.ts";

/**
 * A set of field paths as a tree, in the keys of managedFields' FieldsV1: `f:name` for a field, `k:{…}` for an
 * item of a keyed list, `v:…` for an item of a set. `here` says whether the node itself is in the set.
 */
export interface FieldSet {
  here: boolean;
  readonly children: Map<string, FieldSet>;
}

export function emptySet(here = false): FieldSet {
  return { here, children: new Map() };
}

export function isEmptySet(set: FieldSet): boolean {
  return !set.here && [...set.children.values()].every(isEmptySet);
}

/** Every field that a value sets. Atomic lists and maps, and scalars, are one field. */
export function fieldsOf(value: unknown, schema: MergeSchema, path: readonly string[] = []): FieldSet {
  const parts = partsOf(value, schema, path);
  if (parts === undefined || parts.length === 0) return emptySet(true);
  // An item of a keyed list is owned itself; a plain map is owned only through its fields.
  const set = emptySet(false);
  for (const part of parts) {
    const child = fieldsOf(part.value, schema, part.path);
    if (part.key.startsWith("k:") || part.key.startsWith("v:")) child.here = true;
    set.children.set(part.key, child);
  }
  return set;
}

/** Fields of `after` that are new or different from `before`, and fields of `before` that are gone. */
export function changedFields(
  before: unknown,
  after: unknown,
  at: { schema: MergeSchema; path: readonly string[] },
): { changed: FieldSet; removed: FieldSet } {
  if (before === after) return unchanged;
  const oldParts = partsOf(before, at.schema, at.path, after);
  const newParts = partsOf(after, at.schema, at.path, before);
  if (oldParts === undefined || newParts === undefined) {
    if (isDeepStrictEqual(before, after)) return unchanged;
    const removed = before === undefined ? emptySet() : fieldsOf(before, at.schema, at.path);
    return { changed: after === undefined ? emptySet() : fieldsOf(after, at.schema, at.path), removed };
  }
  const changed = emptySet();
  const removed = emptySet();
  const oldByKey = new Map(oldParts.map((part) => [part.key, part]));
  for (const part of newParts) {
    const old = oldByKey.get(part.key);
    oldByKey.delete(part.key);
    if (old === undefined) {
      const added = fieldsOf(part.value, at.schema, part.path);
      if (!part.key.startsWith("f:")) added.here = true;
      changed.children.set(part.key, added);
      continue;
    }
    const inner = changedFields(old.value, part.value, { schema: at.schema, path: part.path });
    if (!isEmptySet(inner.changed)) changed.children.set(part.key, inner.changed);
    if (!isEmptySet(inner.removed)) removed.children.set(part.key, inner.removed);
  }
  for (const [key, part] of oldByKey) {
    const gone = fieldsOf(part.value, at.schema, part.path);
    gone.here = true;
    removed.children.set(key, gone);
  }
  return { changed, removed };
}

const unchanged = { changed: emptySet(), removed: emptySet() };

/** `a` itself when it has all of `b`. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  const result = emptySet(a.here || b.here);
  let isSame = result.here === a.here;
  for (const [key, child] of a.children) {
    const other = b.children.get(key);
    const both = other === undefined ? child : union(child, other);
    if (both !== child) isSame = false;
    result.children.set(key, both);
  }
  for (const [key, child] of b.children) {
    if (a.children.has(key)) continue;
    isSame = false;
    result.children.set(key, child);
  }
  return isSame ? a : result;
}

/** `a` itself when it has nothing of `b`. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  const result = emptySet(a.here && !b.here);
  let isSame = result.here === a.here;
  for (const [key, child] of a.children) {
    const other = b.children.get(key);
    const rest = other === undefined ? child : difference(child, other);
    if (rest !== child) isSame = false;
    if (!isEmptySet(rest)) result.children.set(key, rest);
    else if (!isEmptySet(child)) isSame = false;
  }
  return isSame ? a : result;
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  const result = emptySet(a.here && b.here);
  for (const [key, child] of a.children) {
    const common = intersection(child, b.children.get(key) ?? emptySet());
    if (!isEmptySet(common)) result.children.set(key, common);
  }
  return result;
}

/** Paths in the form of conflict messages: `.spec.template.spec.containers[name="main"].image`. */
export function pathsOf(set: FieldSet, prefix = ""): readonly string[] {
  const own = set.here && prefix !== "" ? [prefix] : [];
  return [...own, ...[...set.children].flatMap(([key, child]) => pathsOf(child, prefix + printKey(key)))];
}

export function toFieldsV1(set: FieldSet): JsonRecord {
  const result: JsonRecord = {};
  for (const [key, child] of set.children) {
    if (isEmptySet(child)) continue;
    const inner = toFieldsV1(child);
    if (child.here && Object.keys(inner).length > 0) inner["."] = {};
    result[key] = inner;
  }
  return result;
}

export function fromFieldsV1(value: unknown): FieldSet {
  if (!isRecord(value)) return emptySet();
  const set = emptySet(false);
  for (const [key, child] of Object.entries(value)) {
    if (key === ".") continue;
    const inner = fromFieldsV1(child);
    const leaf = isRecord(child) && (Object.keys(child).length === 0 || "." in child);
    if (leaf) inner.here = true;
    set.children.set(key, inner);
  }
  return set;
}

interface Part {
  readonly key: string;
  readonly value: unknown;
  readonly path: readonly string[];
}

// The parts that are owned one by one; undefined when the value is owned as a whole. Fields that are the same in `other`
// are left out.
function partsOf(
  value: unknown,
  schema: MergeSchema,
  path: readonly string[],
  other?: unknown,
): readonly Part[] | undefined {
  if (isRecord(value)) {
    if (path.length > 0 && schema.merging(path, value).kind === "atomic") return undefined;
    const fields: Part[] = [];
    for (const key of Object.keys(value)) {
      const item = value[key];
      if (isRecord(other) && other[key] === item) continue;
      fields.push({ key: `f:${key}`, value: item, path: [...path, key] });
    }
    return fields;
  }
  if (!Array.isArray(value)) return undefined;
  const merging = schema.merging(path, value);
  if (merging.kind === "set")
    return value.map((item) => ({ key: `v:${JSON.stringify(item)}`, value: item, path }));
  if (merging.kind !== "map") return undefined;
  const parts: Part[] = [];
  for (const item of value) {
    if (!isRecord(item)) return undefined;
    const identity = merging.keys.map((key) => [key, item[key] ?? merging.defaults?.[key]] as const);
    const sorted = identity.toSorted(([a], [b]) => (a < b ? -1 : 1));
    // Items are maps, never one atomic field, so they get the path of the list.
    parts.push({ key: `k:${JSON.stringify(Object.fromEntries(sorted))}`, value: item, path });
  }
  return parts;
}

function printKey(key: string): string {
  if (key.startsWith("f:")) return `.${key.slice(2)}`;
  if (key.startsWith("v:")) return `[=${key.slice(2)}]`;
  const identity = JSON.parse(key.slice(2)) as JsonRecord;
  const texts = Object.entries(identity).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `[${texts.join(",")}]`;
}
