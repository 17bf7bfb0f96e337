// Values as the metrics APIs write them.

/** Sums of many pieces are not exact, and an even load has to have its even value. */
const exact = 1 + 1e-8;

/** A value in thousandths, as the adapter writes it: what is not zero never becomes zero. */
export function milliText(value: number): string {
  const milli = Math.trunc(value * 1000 * exact);
  if (milli === 0) return value === 0 ? "0" : value > 0 ? "1m" : "-1m";
  return milli % 1000 === 0 ? String(milli / 1000) : `${milli}m`;
}

/** Cores in billionths, as metrics-server writes them. */
export function nanoText(cores: number): string {
  return `${Math.round(cores * 1e9)}n`;
}

/** Bytes in units of 1,024, as metrics-server writes them. */
export function kibiText(bytes: number): string {
  return `${Math.round(bytes / 1024)}Ki`;
}
