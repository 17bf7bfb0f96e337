// Compares two statuses by meaning.
import { compareQuantity } from "../../values/quantity/convert.ts";
import { quantityOf } from "../../values/quantity/milli.ts";
import { instantMs } from "../../values/time/rfc3339.ts";
import type { HpaStatus } from "../status.ts";

/**
 * Whether two statuses mean the same: quantities by value, times by instant, empty lists as absent ones.
 *
 * @upstream apimachinery/pkg/api/equality/semantic.go#Semantic
 */
export function sameStatus(a: HpaStatus, b: HpaStatus): boolean {
  return sameValue(a, b, "");
}

const quantityFields: ReadonlySet<string> = new Set(["value", "averageValue"]);
const instantFields: ReadonlySet<string> = new Set(["lastTransitionTime", "lastScaleTime"]);

function sameValue(a: unknown, b: unknown, field: string): boolean {
  if (a === b) return true;
  if (Array.isArray(a) || Array.isArray(b)) return sameList(a, b);
  if (typeof a === "object" && a !== null && typeof b === "object" && b !== null) return sameFields(a, b);
  if (typeof a === "string" && typeof b === "string") {
    if (instantFields.has(field)) return instantMs(a) === instantMs(b);
    return quantityFields.has(field) && sameQuantity(a, b);
  }
  // A string field that is empty and one that is absent are the same to Go.
  return isNothing(a) && isNothing(b);
}

function sameList(a: unknown, b: unknown): boolean {
  const left: readonly unknown[] = Array.isArray(a) ? a : [];
  const right: readonly unknown[] = Array.isArray(b) ? b : [];
  const areLists = [a, b].every((list) => Array.isArray(list) || list === null || list === undefined);
  return areLists && left.length === right.length && left.every((item, i) => sameValue(item, right[i], ""));
}

function sameFields(a: object, b: object): boolean {
  const left = a as Readonly<Record<string, unknown>>;
  const right = b as Readonly<Record<string, unknown>>;
  for (const key in left) if (!sameValue(own(left, key), own(right, key), key)) return false;
  for (const key in right) {
    if (!Object.hasOwn(left, key) && !sameValue(undefined, own(right, key), key)) return false;
  }
  return true;
}

function own(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function sameQuantity(a: string, b: string): boolean {
  const left = quantityOf(a);
  const right = quantityOf(b);
  return left !== undefined && right !== undefined && compareQuantity(left, right) === 0;
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}
