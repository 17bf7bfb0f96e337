// Compares JSON values of vectors.
import { instantMs } from "@plimsoll/core";
import { type Fields, isFields } from "@plimsoll/core/internal/values";
import { compareQuantity, parseQuantity, QuantityError } from "@plimsoll/core/quantity";
import { type CaseDifference, differ } from "./difference.ts";
import { join } from "./read.ts";

/** "named": only the fields that `expected` names; "whole": every field of either side. */
export type Extent = "named" | "whole";

/** Fields that hold quantities wherever they occur as text. */
const quantityFields: ReadonlySet<string> = new Set([
  "value",
  "averageValue",
  "tolerance",
  "Tolerance",
  "targetValue",
  "targetAverageValue",
  "currentValue",
  "currentAverageValue",
  "autoscaling.alpha.kubernetes.io/scale-up-tolerance",
  "autoscaling.alpha.kubernetes.io/scale-down-tolerance",
]);

const instantFields: ReadonlySet<string> = new Set([
  "lastTransitionTime",
  "lastScaleTime",
  "creationTimestamp",
]);

/**
 * Where two JSON values differ: quantities by amount, instants by time, annotations that hold JSON as JSON;
 * absent, null and empty are the same.
 */
export function compareJson(
  path: string,
  expected: unknown,
  actual: unknown,
  extent: Extent,
): readonly CaseDifference[] {
  const key = path.slice(path.lastIndexOf(".") + 1);
  return compareAt({ path, key, extent }, expected, actual);
}

interface Place {
  readonly path: string;
  readonly key: string;
  readonly extent: Extent;
}

function compareAt(place: Place, expected: unknown, actual: unknown): readonly CaseDifference[] {
  if (expected === actual || (isEmpty(expected, place.key) && isEmpty(actual, place.key))) return [];
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    return expected.flatMap((item, i) =>
      compareAt({ ...place, path: `${place.path}[${i}]`, key: "" }, item, actual[i]),
    );
  }
  const [left, right] = [fieldsOf(expected), fieldsOf(actual)];
  if (left !== undefined && right !== undefined) return compareFields(place, left, right);
  if (typeof expected === "string" && typeof actual === "string" && sameText(place, expected, actual))
    return [];
  return [differ(place.path, expected, actual)];
}

/** The fields of an object; none for what is as good as absent; undefined for anything else. */
function fieldsOf(value: unknown): Fields | undefined {
  if (isFields(value)) return value;
  return isEmpty(value) ? {} : undefined;
}

function compareFields(place: Place, expected: Fields, actual: Fields): readonly CaseDifference[] {
  const others = place.extent === "whole" ? Object.keys(actual) : [];
  const keys = new Set([...Object.keys(expected), ...others]);
  return [...keys].flatMap((key) => {
    const own = Object.hasOwn(actual, key) ? actual[key] : undefined;
    return compareAt({ ...place, path: join(place.path, key), key }, expected[key], own);
  });
}

function sameText(place: Place, expected: string, actual: string): boolean {
  if (quantityFields.has(place.key)) return sameQuantity(expected, actual);
  if (instantFields.has(place.key)) {
    const ms = instantMs(expected);
    return ms !== undefined && Math.floor(ms / 1000) === Math.floor((instantMs(actual) ?? NaN) / 1000);
  }
  if (!place.path.includes("annotations")) return false;
  const [left, right] = [parseJson(expected), parseJson(actual)];
  if (left === undefined || right === undefined) return false;
  return compareAt({ ...place, extent: "whole", path: "" }, left, right).length === 0;
}

export function sameQuantity(a: string, b: string): boolean {
  try {
    return compareQuantity(parseQuantity(a), parseQuantity(b)) === 0;
  } catch (error) {
    if (error instanceof QuantityError) return a === b;
    throw error;
  }
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Absent, null, "", [], a zero count of a status, and anything made of nothing else. */
function isEmpty(value: unknown, key = ""): boolean {
  if (value === undefined || value === null || value === "") return true;
  if (value === 0) return key === "currentReplicas" || key === "desiredReplicas";
  if (Array.isArray(value)) return value.length === 0;
  return isFields(value) && Object.entries(value).every(([name, inner]) => isEmpty(inner, name));
}
