// Formats ratios for explanations and reports.

/** With three decimals; the trace has all of them. Below one, three significant digits. */
export function showRatio(value: number | string | undefined): string {
  if (value === undefined) return "?";
  // No other division of these numbers is without a result.
  if (value === "NaN") return "0 ÷ 0";
  return typeof value === "number" ? String(rounded(value, 3)) : value;
}

/**
 * The shortest form, from three decimals on, of which the same can be said as of the exact ratio: rounding must not
 * move it over a bound or change what is computed from it.
 */
export function showRatioSo(value: number | string | undefined, holds: (ratio: number) => boolean): string {
  if (typeof value !== "number" || !holds(value)) return showRatio(value);
  for (let digits = 3; digits < 17; digits++) {
    const near = rounded(value, digits);
    if (holds(near)) return String(near);
    const below = Math.floor(value * 10 ** digits) / 10 ** digits;
    if (holds(below)) return String(below);
  }
  return String(value);
}

/** A part of one in percent, with one decimal. */
export function showPercent(part: number): string {
  return `${(100 * part).toFixed(1)} %`;
}

/** The result of the division, in words. */
export function ratioWords(value: number | string | undefined): string {
  return value === "NaN" ? "no ratio (0 ÷ 0)" : `ratio ${showRatio(value)}`;
}

function rounded(value: number, digits: number): number {
  return Number(Math.abs(value) < 1 ? value.toPrecision(digits) : value.toFixed(digits));
}
