/** A duration text that could not be read; the message quotes it. */
export class DurationError extends Error {
  override readonly name = "DurationError";
}

/** Int64 nanoseconds are the largest duration that Go, and so Prometheus, can hold. */
const MAX_MS = Number(2n ** 63n / 1_000_000n);

/** Of years, weeks, days, hours, minutes, seconds and milliseconds. */
const UNITS_MS = [365 * 86_400_000, 7 * 86_400_000, 86_400_000, 3_600_000, 60_000, 1_000, 1];

const PROMETHEUS_DURATION =
  /^(?:(\d+)y)?(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/;

/**
 * Reads a Prometheus duration: whole numbers, units in falling order, each at most once ("1h30m", "5m", "0").
 * @returns milliseconds.
 * @throws DurationError
 * @upstream prometheus/common model/time.go#ParseDuration
 */
export function parsePrometheusDuration(text: string): number {
  if (text === "0") return 0;
  const match = text === "" ? null : PROMETHEUS_DURATION.exec(text);
  if (match === null) throw new DurationError(`not a Prometheus duration: ${JSON.stringify(text)}`);
  let total = 0;
  for (const [index, unitMs] of UNITS_MS.entries()) total += Number(match[index + 1] ?? 0) * unitMs;
  if (total > MAX_MS) throw new DurationError(`duration out of range: ${JSON.stringify(text)}`);
  return total;
}
