import type { JsonFloat } from "./step.ts";

/** JSON has no word for these. */
export function jsonFloat(value: number): JsonFloat {
  if (Number.isFinite(value)) return value;
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "Infinity" : "-Infinity";
}
