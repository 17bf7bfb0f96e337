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

/**
 * Reads a Go duration ("15s", "1m30s", "1.5h", "0") into milliseconds; undefined when it is not one.
 *
 * @upstream time/format.go#ParseDuration
 */
export function parseGoDuration(text: string): number | undefined {
  const sign = text.startsWith("-") ? -1 : 1;
  const body = text.replace(/^[+-]/, "");
  if (body === "0") return 0;
  if (!/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(body)) return undefined;
  let totalNs = 0;
  for (const [, amount, unit] of body.matchAll(/([\d.]+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    totalNs += Number(amount) * (unitNs[unit ?? ""] ?? Number.NaN);
  }
  return (sign * totalNs) / 1e6;
}
