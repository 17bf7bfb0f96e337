// One series of the simulated Prometheus, and its latest samples.
import type { Labels } from "@plimsoll/prometheus";
import type { Window } from "@plimsoll/simulator";

/** A series. Its samples are those of the last eight minutes, when it is scraped every 15 s. */
export interface Series {
  readonly name: string;
  /** Without the name. */
  readonly labels: Labels;
  /** Whose value it is: "http_requests_total shop/web-1"; series of one identity are added up. */
  readonly identity: string;
  /** The labels of a group that it is in, as JSON, by the list of their names. */
  readonly groups: Map<string, string>;
  readonly lastMs: number;
  /** A sample that is not newer than the last one is refused, as Prometheus does. */
  append(atMs: number, value: number): void;
  /** Says that the series ended. */
  markStale(atMs: number): void;
  /** The value at a moment; undefined where there is none within the lookback, or the series ended. */
  valueAt(atMs: number): number | undefined;
  /** The samples after the one moment, up to the other. */
  window(fromMs: number, toMs: number): Window;
}

const capacity = 32;
export const lookbackMs = 300_000;

export function createSeries(name: string, labels: Labels, identity: string): Series {
  const times = new Float64Array(capacity);
  const values = new Float64Array(capacity);
  const stale = new Uint8Array(capacity);
  /** How many were ever appended. */
  let count = 0;
  let lastMs = Number.NEGATIVE_INFINITY;

  function add(atMs: number, value: number, isStale: 0 | 1): void {
    if (atMs <= lastMs) return;
    const place = count % capacity;
    times[place] = atMs;
    values[place] = value;
    stale[place] = isStale;
    count += 1;
    lastMs = atMs;
  }

  /** The number of the last sample that is not after this moment; one below the first kept one when there is none. */
  function lastUntil(atMs: number): number {
    let at = count - 1;
    const first = Math.max(0, count - capacity);
    while (at >= first && (times[at % capacity] ?? 0) > atMs) at -= 1;
    return at;
  }

  return {
    name,
    labels,
    identity,
    groups: new Map(),
    get lastMs() {
      return lastMs;
    },
    append: (atMs, value) => add(atMs, value, 0),
    markStale: (atMs) => add(atMs, 0, 1),
    valueAt(atMs) {
      const at = lastUntil(atMs);
      const place = at % capacity;
      if (at < Math.max(0, count - capacity) || stale[place] === 1) return undefined;
      return (times[place] ?? 0) > atMs - lookbackMs ? values[place] : undefined;
    },
    window(fromMs, toMs) {
      const first = Math.max(0, count - capacity);
      const found = Array.from({ length: count - first }, (_, at) => (first + at) % capacity).filter(
        (place) => {
          const atMs = times[place] ?? 0;
          return atMs > fromMs && atMs <= toMs && stale[place] === 0;
        },
      );
      const pick = (from: Float64Array) => Float64Array.from(found, (place) => from[place] ?? 0);
      return { atMs: pick(times), values: pick(values), count: found.length, fromMs, toMs };
    },
  };
}
