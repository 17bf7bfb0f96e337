import type { MergeSchema, Merging } from "../patch/merge-schema.ts";
import { isRecord, type JsonRecord } from "../storage/json-value.ts";
import { emptySet, type FieldSet, isEmptySet } from "./field-set.ts";

/** `applied` laid over `live`: maps and keyed lists merge, everything else is replaced. */
export function mergeApplied(
  live: unknown,
  applied: unknown,
  at: { schema: MergeSchema; path: readonly string[] },
): unknown {
  if (isRecord(applied) && isRecord(live)) {
    if (at.path.length > 0 && at.schema.merging(at.path, applied).kind === "atomic") return applied;
    const result: JsonRecord = { ...live };
    for (const [key, value] of Object.entries(applied)) {
      result[key] = mergeApplied(live[key], value, { schema: at.schema, path: [...at.path, key] });
    }
    return result;
  }
  if (Array.isArray(applied) && Array.isArray(live)) return mergeLists(live, applied, at);
  return applied;
}

function mergeLists(
  live: readonly unknown[],
  applied: readonly unknown[],
  at: { schema: MergeSchema; path: readonly string[] },
): unknown[] {
  const merging = at.schema.merging(at.path, applied);
  if (merging.kind !== "map" && merging.kind !== "set") return [...applied];
  const byKey = new Map(live.map((item) => [itemKey(item, merging), item]));
  const named = new Set(applied.map((item) => itemKey(item, merging)));
  const rest = live.filter((item) => !named.has(itemKey(item, merging)));
  const merged = applied.map((item) => {
    const old = byKey.get(itemKey(item, merging));
    if (!isRecord(old) || !isRecord(item)) return item;
    const result: JsonRecord = { ...old };
    for (const [key, value] of Object.entries(item)) {
      result[key] = mergeApplied(old[key], value, { schema: at.schema, path: [...at.path, key] });
    }
    return result;
  });
  return [...merged, ...rest];
}

/** Takes fields out of a value; maps and lists that become empty by that go too. Undefined: nothing is left. */
export function withoutFields(
  value: unknown,
  fields: FieldSet,
  at: { schema: MergeSchema; path: readonly string[] },
): unknown {
  if (isRecord(value) && fields.children.size > 0) return mapWithout(value, fields, at);
  if (Array.isArray(value) && fields.children.size > 0) {
    const merging = at.schema.merging(at.path, value);
    const rest = value.flatMap((item: unknown) => {
      const inner = fields.children.get(itemKey(item, merging));
      if (inner === undefined) return [item];
      if (inner.here || !isRecord(item)) return [];
      const left = mapWithout(item, inner, at);
      return left === undefined ? [] : [left];
    });
    return rest.length === 0 ? undefined : rest;
  }
  return fields.here ? undefined : value;
}

function mapWithout(
  value: JsonRecord,
  fields: FieldSet,
  at: { schema: MergeSchema; path: readonly string[] },
): JsonRecord | undefined {
  const result: JsonRecord = {};
  for (const [key, item] of Object.entries(value)) {
    const inner = fields.children.get(`f:${key}`) ?? emptySet();
    const left = isEmptySet(inner)
      ? item
      : withoutFields(item, inner, { schema: at.schema, path: [...at.path, key] });
    if (left !== undefined) result[key] = left;
  }
  return Object.keys(result).length === 0 ? undefined : result;
}

function itemKey(item: unknown, merging: Merging): string {
  if (merging.kind === "map" && isRecord(item)) {
    const identity = merging.keys
      .map((key) => [key, item[key] ?? merging.defaults?.[key]] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
    return `k:${JSON.stringify(Object.fromEntries(identity))}`;
  }
  return `v:${JSON.stringify(item)}`;
}
