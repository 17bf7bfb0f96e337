// Reads fields of API objects, which others wrote: nothing of them is taken for granted.
import { type Fields, fieldsOf } from "@plimsoll/core/internal/values";

/** The items that are objects. */
export function listOf(value: unknown): readonly Fields[] {
  if (!Array.isArray(value)) return [];
  return value.filter(
    (item): item is Fields => typeof item === "object" && item !== null && !Array.isArray(item),
  );
}

export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** The field at a path: `at(pod, "status", "phase")`. */
export function at(object: unknown, ...path: readonly string[]): unknown {
  let found: unknown = object;
  for (const key of path) {
    const fields = fieldsOf(found);
    if (!Object.hasOwn(fields, key)) return undefined;
    found = fields[key];
  }
  return found;
}

/** The fields whose values are texts, such as labels. */
export function labelsOf(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(fieldsOf(value)).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    ),
  );
}
