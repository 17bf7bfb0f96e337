/** A float that may not be finite, in a form that JSON keeps. */
export type JsonFloat = number | "NaN" | "Infinity" | "-Infinity";

/** JSON has no word for these. */
export function jsonFloat(value: number): JsonFloat {
  if (Number.isFinite(value)) return value;
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "Infinity" : "-Infinity";
}
