// Amounts as people read them.

/** Three digits, thousands apart. */
export function amount(value: number): string {
  if (value !== 0 && Math.abs(value) < 0.05) return value.toFixed(3);
  const digits = Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : 1;
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
