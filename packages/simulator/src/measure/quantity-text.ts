// Values as the metrics APIs write them.

/** A value in thousandths, as the adapter writes it: what is not zero never becomes zero. */
export function milliText(value: number): string {
  const milli = Math.trunc(value * 1000);
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
