// Formats ratios for explanations.
import type { JsonFloat } from "../trace/json-float.ts";

/** With three decimals; the trace has all of them. Below one, three significant digits. */
export function showRatio(value: JsonFloat | undefined): string {
  if (value === undefined) return "?";
  return typeof value === "number" ? String(rounded(value, 3)) : value;
}

/**
 * The shortest form, from three decimals on, of which the same can be said as of the exact ratio: rounding must not
 * move it over a bound or change what is computed from it.
 */
export function showRatioSo(value: JsonFloat | undefined, holds: (ratio: number) => boolean): string {
  if (typeof value !== "number" || !holds(value)) return showRatio(value);
  for (let digits = 3; digits < 17; digits++) {
    const near = rounded(value, digits);
    if (holds(near)) return String(near);
    const below = Math.floor(value * 10 ** digits) / 10 ** digits;
    if (holds(below)) return String(below);
  }
  return String(value);
}

function rounded(value: number, digits: number): number {
  return Number(Math.abs(value) < 1 ? value.toPrecision(digits) : value.toFixed(digits));
}
