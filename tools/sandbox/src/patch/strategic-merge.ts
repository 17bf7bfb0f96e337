import { isDeepStrictEqual } from "node:util";
import { badRequest } from "../errors/status-error.ts";
import { isRecord, type JsonRecord } from "../storage/json-value.ts";
import type { MergeSchema } from "./merge-schema.ts";

/**
 * Strategic merge patch: a merge patch whose lists of known kinds merge by key, with the directives $patch
 * (merge, replace, delete), $deleteFromPrimitiveList, $retainKeys and $setElementOrder.
 *
 * @upstream apimachinery/pkg/util/strategicpatch/patch.go#StrategicMergePatch
 */
export function strategicMergePatch(object: JsonRecord, patch: unknown, schema: MergeSchema): JsonRecord {
  if (!isRecord(patch)) throw badRequest("error decoding patch: a strategic merge patch is an object");
  return mergeMap(object, patch, { schema, path: [] }) ?? {};
}

interface Position {
  readonly schema: MergeSchema;
  readonly path: readonly string[];
}

// Undefined: the patch deletes the map itself.
function mergeMap(target: unknown, patch: JsonRecord, at: Position): JsonRecord | undefined {
  const directive = patch["$patch"];
  if (directive === "delete") return undefined;
  if (directive === "replace") return withoutDirectives(patch);
  if (directive !== undefined && directive !== "merge") {
    throw badRequest(`error decoding patch: unknown patch type ${JSON.stringify(directive)}`);
  }
  const result = retained(isRecord(target) ? target : {}, patch["$retainKeys"]);
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith("$deleteFromPrimitiveList/")) removeFromList(result, key, value);
    if (key.startsWith("$")) continue;
    const path = [...at.path, key];
    const merged = mergeValue(result[key], value, { schema: at.schema, path });
    if (merged === undefined) delete result[key];
    else result[key] = merged;
  }
  for (const [key, value] of Object.entries(patch)) {
    if (!key.startsWith("$setElementOrder/") || !Array.isArray(value)) continue;
    orderList(result, key.slice("$setElementOrder/".length), value, at);
  }
  return result;
}

/** A copy with the keys of $retainKeys, or with all of them where there is no such list. */
function retained(target: JsonRecord, retain: unknown): JsonRecord {
  if (!Array.isArray(retain)) return { ...target };
  return Object.fromEntries(Object.entries(target).filter(([key]) => retain.includes(key)));
}

function mergeValue(target: unknown, value: unknown, at: Position): unknown {
  if (value === null) return undefined;
  if (isRecord(value)) return mergeMap(target, value, at);
  if (Array.isArray(value)) return mergeList(Array.isArray(target) ? target : [], value, at);
  return value;
}

function mergeList(target: readonly unknown[], patch: readonly unknown[], at: Position): unknown[] {
  const items = patch.filter((item) => !(isRecord(item) && item["$patch"] === "replace"));
  if (items.length < patch.length) return items.map(stripped);
  const merging = at.schema.merging(at.path, patch);
  if (merging.kind === "set") {
    return [...target, ...patch.filter((item) => !target.some((other) => isDeepStrictEqual(other, item)))];
  }
  if (merging.kind !== "map") return patch.map(stripped);
  const result = [...target];
  for (const item of patch) {
    if (!isRecord(item)) continue;
    const identity = item[merging.strategicKey];
    if (identity === undefined) {
      throw badRequest(
        `map: ${JSON.stringify(item)} does not contain declared merge key: ${merging.strategicKey}`,
      );
    }
    const index = result.findIndex((other) => isRecord(other) && other[merging.strategicKey] === identity);
    const merged = mergeMap(index < 0 ? {} : result[index], item, at);
    if (merged === undefined) {
      if (index >= 0) result.splice(index, 1);
    } else if (index < 0) result.push(merged);
    else result[index] = merged;
  }
  return result;
}

function removeFromList(result: JsonRecord, directive: string, values: unknown): void {
  const key = directive.slice("$deleteFromPrimitiveList/".length);
  const list = result[key];
  if (Array.isArray(list) && Array.isArray(values)) {
    result[key] = list.filter((item) => !values.includes(item));
  }
}

// Items that the patch does not name keep their place behind the ones it names.
function orderList(result: JsonRecord, key: string, order: readonly unknown[], at: Position): void {
  const list = result[key];
  if (!Array.isArray(list)) return;
  const merging = at.schema.merging([...at.path, key], list);
  const rank = (item: unknown): number => {
    const index = order.findIndex((wanted) =>
      merging.kind === "map" && isRecord(wanted) && isRecord(item)
        ? wanted[merging.strategicKey] === item[merging.strategicKey]
        : wanted === item,
    );
    return index < 0 ? order.length : index;
  };
  result[key] = list
    .map((item, index) => ({ item: item as unknown, index, rank: rank(item) }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index)
    .map((entry) => entry.item);
}

function withoutDirectives(patch: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(patch).filter(([key]) => !key.startsWith("$")));
}

function stripped(item: unknown): unknown {
  return isRecord(item) ? withoutDirectives(item) : item;
}
