/** A duration text that could not be read; the message quotes it. */
export class DurationError extends Error {
  override readonly name = "DurationError";
}

/** Int64 nanoseconds are the largest duration that Go, and so Prometheus, can hold. */
const MAX_MS = Number(2n ** 63n / 1_000_000n);

const PROMETHEUS_UNITS = [
  ["y", 365 * 86_400_000],
  ["w", 7 * 86_400_000],
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
] as const;

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
  for (const [index, [, unitMs]] of PROMETHEUS_UNITS.entries())
    total += Number(match[index + 1] ?? 0) * unitMs;
  if (total > MAX_MS) throw new DurationError(`duration out of range: ${JSON.stringify(text)}`);
  return total;
}

/** Writes milliseconds as the shortest Prometheus duration: 90000 is "1m30s", 0 is "0s". */
export function formatPrometheusDuration(durationMs: number): string {
  let rest = Math.trunc(durationMs);
  if (rest === 0) return "0s";
  let text = "";
  for (const [unit, unitMs] of PROMETHEUS_UNITS) {
    // Years and weeks only when nothing is left over, as Prometheus itself prints them.
    if ((unit === "y" || unit === "w") && rest % unitMs !== 0) continue;
    const count = Math.floor(rest / unitMs);
    if (count === 0) continue;
    text += `${count}${unit}`;
    rest -= count * unitMs;
  }
  return text;
}
