// Copies values as a JSON round trip would, frozen, and shares what did not change.
import { isFields } from "@plimsoll/core/internal/values";
import type { JsonRecord } from "./json-value.ts";

/**
 * A frozen copy in which `undefined` fields are dropped. Whatever equals `before`, which is sealed itself, is `before`: the
 * whole of it too, so that a caller sees by identity whether anything changed. The order of fields does not count.
 */
export function seal<T>(value: T, before?: unknown): T {
  return sealed(value, before) as T;
}

/** Whether two values are the same JSON, whatever the order of their fields. */
export function isSame(a: unknown, b: unknown): boolean {
  const before = seal(b);
  return seal(a, before) === before;
}

function sealed(value: unknown, before: unknown): unknown {
  if (value === before) return value;
  if (typeof value === "object") {
    if (value === null) return null;
    return Array.isArray(value) ? sealedList(value, before) : sealedRecord(value as JsonRecord, before);
  }
  // Adding 0 takes the sign off -0.
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : null;
  return typeof value === "string" || typeof value === "boolean" ? value : undefined;
}

function sealedList(list: readonly unknown[], before: unknown): readonly unknown[] {
  const old = Array.isArray(before) ? (before as readonly unknown[]) : undefined;
  let isSame = old?.length === list.length;
  const copy: unknown[] = [];
  for (let index = 0; index < list.length; index += 1) {
    const item = sealed(list[index], old?.[index]) ?? null;
    if (isSame && item !== old?.[index]) isSame = false;
    copy.push(item);
  }
  return isSame ? (old as readonly unknown[]) : Object.freeze(copy);
}

function sealedRecord(record: JsonRecord, before: unknown): unknown {
  if (typeof record["toJSON"] === "function") return sealed(JSON.parse(JSON.stringify(record)), before);
  const old = isFields(before) ? before : undefined;
  const copy: JsonRecord = {};
  let isSame = old !== undefined;
  let count = 0;
  for (const key of Object.keys(record)) {
    const known = old !== undefined && Object.hasOwn(old, key) ? old[key] : undefined;
    const item = sealed(record[key], known);
    if (item === undefined) continue;
    count += 1;
    if (isSame && item !== known) isSame = false;
    // Assigned, this one name would set the prototype.
    if (key === "__proto__") {
      Object.defineProperty(copy, key, { value: item, enumerable: true, configurable: true, writable: true });
    } else copy[key] = item;
  }
  return isSame && Object.keys(old ?? {}).length === count ? old : Object.freeze(copy);
}
