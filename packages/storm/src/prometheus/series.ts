// One series of the simulated Prometheus, and its latest samples.

export type Labels = Readonly<Record<string, string>>;

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
  /** The samples within a range, in their order. */
  range(fromMs: number, toMs: number): readonly Sample[];
}

export interface Sample {
  readonly atMs: number;
  readonly value: number;
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
    range(fromMs, toMs) {
      const found: Sample[] = [];
      const first = Math.max(0, count - capacity);
      for (let at = lastUntil(toMs); at >= first; at -= 1) {
        const place = at % capacity;
        const atMs = times[place] ?? 0;
        if (atMs <= fromMs) break;
        if (stale[place] === 0) found.push({ atMs, value: values[place] ?? 0 });
      }
      return found.reverse();
    },
  };
}
