// Parses and formats Go durations.

const unitNs: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};

/** A longer text is not a duration, and is not read. */
const maxLength = 256;
/** Go counts nanoseconds in 64 bits. */
const maxMs = 2 ** 63 / 1e6;

/**
 * Reads a Go duration ("15s", "1m30s", "1.5h", "-2m", "0") into milliseconds, with a fraction for units below one;
 * undefined when it is none.
 *
 * @upstream time/format.go#ParseDuration
 */
export function parseGoDuration(text: string): number | undefined {
  if (text.length > maxLength) return undefined;
  const match = /^([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|[u\u00b5\u03bc]s|ms|s|m|h))+|0)$/.exec(text);
  if (match === null) return undefined;
  // Whole milliseconds apart from the rest: all in nanoseconds would pass 2^53 after 104 days.
  let wholeMs = 0;
  let restNs = 0;
  for (const [, whole, digits = "", unit = ""] of (match[2] ?? "").matchAll(part)) {
    const scaleNs = unitNs[unit] ?? 0;
    if (scaleNs < 1e6) restNs += Number(whole) * scaleNs;
    else wholeMs += Number(whole) * (scaleNs / 1e6);
    restNs += Math.trunc(Number(digits) * (scaleNs / 10 ** digits.length));
  }
  const totalMs = wholeMs + restNs / 1e6;
  if (totalMs >= maxMs) return undefined;
  return (match[1] === "-" ? -totalMs : totalMs) + 0;
}

const part = /(\d*)(?:\.(\d*))?(ns|[u\u00b5\u03bc]s|ms|s|m|h)/g;

/**
 * Prints milliseconds as Go prints a duration: "1h0m0s", "1m30s", "1.5s", "250ms", "2µs", "0s".
 *
 * @upstream time/time.go#Duration.String
 */
export function formatGoDuration(durationMs: number): string {
  const sign = durationMs < 0 ? "-" : "";
  const wholeMs = Math.trunc(Math.abs(durationMs));
  const ns = (wholeMs % 60_000) * 1e6 + Math.round((Math.abs(durationMs) - wholeMs) * 1e6);
  const minutes = Math.floor(wholeMs / 60_000) + Math.floor(ns / 60e9);
  if (minutes === 0 && ns < 1e9) return ns === 0 ? "0s" : sign + subSecond(ns);
  const seconds = `${secondsText(ns % 60e9)}s`;
  if (minutes === 0) return sign + seconds;
  return minutes < 60
    ? `${sign}${minutes}m${seconds}`
    : `${sign}${Math.floor(minutes / 60)}h${minutes % 60}m${seconds}`;
}

/** A number below 1e-6 would be printed with an exponent. */
function secondsText(ns: number): string {
  return ns >= 1e3 ? `${ns / 1e9}` : `0.${`${ns}`.padStart(9, "0")}`.replace(/\.?0+$/, "");
}

function subSecond(ns: number): string {
  if (ns < 1e3) return `${ns}ns`;
  return ns < 1e6 ? `${ns / 1e3}µs` : `${ns / 1e6}ms`;
}
