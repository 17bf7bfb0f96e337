// Makes random series: counters with resets, gauges, histograms; with gaps, staleness markers, NaN and infinities.
import type { Random } from "../random.ts";
import type { GivenSeries } from "./cases.ts";

/** Names of metrics, with what they have beside the labels of all. */
export const counters = ["requests_total", "bytes_total"] as const;
export const gauges = ["queue_length", "temperature"] as const;
export const histogram = "latency_seconds_bucket";

export const labelValues: Readonly<Record<string, readonly [string, ...string[]]>> = {
  pod: ["a", "b", "c", "d"],
  code: ["200", "404", "500"],
  zone: ["x", "y"],
};

const bounds = ["0.1", "0.5", "1", "2.5", "+Inf"];

/** When samples of a world are taken. */
export interface Clock {
  readonly startMs: number;
  readonly intervalMs: number;
  readonly scrapes: number;
}

export function randomClock(random: Random): Clock {
  return {
    startMs: 1_700_000_000_000 + random.int(0, 100_000),
    intervalMs: random.pick([1_000, 1_000, 2_000, 5_000, 15_000]),
    scrapes: random.int(2, 24),
  };
}

/** All series of a world, each set of labels once. */
export function randomSeries(random: Random, clock: Clock): readonly GivenSeries[] {
  const found: GivenSeries[] = [];
  for (const name of counters)
    found.push(...family(random, clock, name, () => counter(random, clock.scrapes)));
  for (const name of gauges) found.push(...family(random, clock, name, () => gauge(random, clock.scrapes)));
  if (random.chance(0.6)) found.push(...histogramSeries(random, clock));
  return shuffled(random, found);
}

function family(
  random: Random,
  clock: Clock,
  name: string,
  values: () => readonly string[],
): readonly GivenSeries[] {
  return labelSets(random).map((labels) =>
    damaged(random, {
      labels: { __name__: name, ...labels },
      times: timesOf(random, clock),
      values: values(),
    }),
  );
}

function labelSets(random: Random): readonly Readonly<Record<string, string>>[] {
  const hasZone = random.chance(0.3);
  const sets: Record<string, string>[] = [];
  for (const pod of labelValues["pod"] ?? []) {
    if (random.chance(0.35)) continue;
    for (const code of labelValues["code"] ?? []) {
      if (random.chance(0.5)) continue;
      const zone = random.pick(labelValues["zone"] ?? ["x"]);
      sets.push({ pod, code, ...(hasZone ? { zone } : {}) });
    }
  }
  return sets;
}

/** A series may begin late, and each scrape has its own delay. */
function timesOf(random: Random, { startMs, intervalMs, scrapes }: Clock): readonly number[] {
  const offset = random.int(0, intervalMs - 1);
  const jitter = random.pick([0, 1, 7, Math.floor(intervalMs / 3)]);
  return Array.from(
    { length: scrapes },
    (_, at) => startMs + offset + at * intervalMs + random.int(0, jitter),
  );
}

function counter(random: Random, count: number): readonly string[] {
  const step = random.pick([0, 1, 10, 1_000, 0.1, 1e15]);
  let value = random.pick([0, 0, 5, 123_456, 1e9]);
  return Array.from({ length: count }, () => {
    if (random.chance(0.08)) value = random.pick([0, 1, 3]);
    else value += step * random.pick([0, 1, 1, random.fraction(), random.int(0, 20)]);
    return numberText(random.chance(0.01) ? Number.NaN : value);
  });
}

const strange = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  -0,
  1.7e308,
  -1.7e308,
  5e-324,
];

function gauge(random: Random, count: number): readonly string[] {
  const strangeShare = random.pick([0, 0, 0.05, 0.3]);
  const scale = random.pick([1, 100, 1e-3, 1e12]);
  return Array.from({ length: count }, () => {
    if (random.chance(strangeShare)) return numberText(random.pick(strange as [number, ...number[]]));
    const value = (random.fraction() - 0.4) * scale;
    return numberText(random.chance(0.5) ? Math.round(value) : value);
  });
}

/** Buckets rise with their bound, mostly; sometimes one is missing. */
function histogramSeries(random: Random, clock: Clock): readonly GivenSeries[] {
  return labelSets(random).flatMap((labels) => {
    const times = timesOf(random, clock);
    const counts = bounds.map(() => counter(random, clock.scrapes).map(Number));
    return bounds.flatMap((le, at) => {
      if (random.chance(0.05)) return [];
      const values = times.map((_, scrape) =>
        numberText(counts.slice(0, at + 1).reduce((sum, bucket) => sum + (bucket[scrape] ?? 0), 0)),
      );
      const bound = random.chance(0.02) ? random.pick(["Inf", "none", "1.0", "-1", "0"]) : le;
      const series = { labels: { __name__: histogram, ...labels, le: bound }, times, values };
      return [random.chance(0.3) ? damaged(random, series) : series];
    });
  });
}

/** Scrapes that failed, a start in the middle, an end, and staleness markers. */
function damaged(random: Random, series: GivenSeries): GivenSeries {
  const missing = random.pick([0, 0, 0.1, 0.5]);
  const from = random.chance(0.2) ? random.int(0, series.times.length) : 0;
  const to = random.chance(0.2) ? random.int(from, series.times.length) : series.times.length;
  const staleShare = random.pick([0, 0, 0, 0.05, 0.2]);
  const kept = series.times.map((_, at) => at >= from && at < to && !random.chance(missing));
  const values = series.values.map((value) => (random.chance(staleShare) ? "stale" : value));
  // What ends before the last scrape went stale at the next one.
  if (to < values.length && random.chance(0.7)) {
    kept[to] = true;
    values[to] = "stale";
  }
  const isKept = (_: unknown, at: number): boolean => kept[at] ?? false;
  return { ...series, times: series.times.filter(isKept), values: values.filter(isKept) };
}

/** JavaScript prints -0 as 0. */
export function numberText(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

function shuffled<T>(random: Random, items: readonly T[]): readonly T[] {
  return items
    .map((item) => [random.fraction(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}
