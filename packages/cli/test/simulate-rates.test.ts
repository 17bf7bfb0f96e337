// The simulator's functions over windows against the real Prometheus, versions 2 and 3.
import { type RealPrometheus, startRealPrometheus, type WrittenSeries } from "@plimsoll/prometheus/testing";
import { type MetricMeaning, overWindow } from "@plimsoll/simulator";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const fromMs = Date.parse("2026-11-20T00:00:00Z");
const seriesCount = 200;
const windowMs = 60_000;
const lookbackMs = 300_000;

const functions = [
  "rate",
  "irate",
  "increase",
  "avg_over_time",
  "max_over_time",
  "min_over_time",
  "sum_over_time",
  "count_over_time",
  "last_over_time",
] as const satisfies readonly MetricMeaning["query"][];

/** Numbers that are the same in each run: 0 ≤ x < 1. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Counters that are scraped each 15 s or so, with gaps and resets, some of them young. */
function makeSeries(): readonly WrittenSeries[] {
  const next = numbers(42);
  return Array.from({ length: seriesCount }, (_, index) => {
    const samples: [number, number][] = [];
    let value = next() < 0.3 ? 0 : Math.floor(next() * 1e5);
    let atMs = fromMs + Math.floor(next() * 15_000) + (next() < 0.3 ? 300_000 : 0);
    for (; atMs < fromMs + 600_000; atMs += 15_000 + (next() < 0.1 ? Math.floor(next() * 40) : 0)) {
      value = next() < 0.05 ? Math.floor(next() * 20) : value + Math.floor(next() * 500);
      if (next() > 0.1) samples.push([atMs, value]);
    }
    return { labels: { __name__: "requests_total", index: String(index) }, samples };
  });
}

/** What the simulator makes of a series. */
function ours(
  { samples }: WrittenSeries,
  query: MetricMeaning["query"],
  toMs: number,
  promql: "2" | "3",
): number {
  const start = toMs - (query === "value" ? lookbackMs : windowMs);
  const inside = samples.filter(([atMs]) => atMs <= toMs && (promql === "2" ? atMs >= start : atMs > start));
  const window = {
    atMs: Float64Array.from(inside, ([atMs]) => atMs),
    values: Float64Array.from(inside, ([, value]) => Number(value)),
    count: inside.length,
    fromMs: start,
    toMs,
  };
  return overWindow(query, window, promql);
}

interface Answer {
  readonly data: {
    readonly result: readonly {
      readonly metric: { readonly index: string };
      readonly value: [number, string];
    }[];
  };
}

describe.each([
  ["PROMETHEUS", process.env["PROMETHEUS"]],
  ["PROMETHEUS_3", process.env["PROMETHEUS_3"]],
] as const)("%s", (_, binary) => {
  const series = makeSeries();
  let prometheus: RealPrometheus | undefined;
  let promql: "2" | "3" = "2";
  beforeAll(async () => {
    if (binary === undefined) return;
    prometheus = await startRealPrometheus(binary);
    await prometheus.write(series);
    const response = await fetch(`${prometheus.url}/api/v1/status/buildinfo`);
    const { data } = (await response.json()) as { readonly data: { readonly version: string } };
    promql = data.version.startsWith("2.") ? "2" : "3";
  });
  afterAll(() => prometheus?.stop());

  /** What Prometheus says, by the index of the series. */
  async function theirsAt(query: string, toMs: number): Promise<ReadonlyMap<string, number>> {
    const time = `${Math.floor(toMs / 1000)}.${String(toMs % 1000).padStart(3, "0")}`;
    const response = await fetch(`${prometheus?.url}/api/v1/query?time=${time}&query=${query}`);
    const { data } = (await response.json()) as Answer;
    return new Map(data.result.map(({ metric, value }) => [metric.index, Number(value[1])]));
  }

  // `npm test` brings them where the distribution has them.
  test.skipIf(binary === undefined).each(functions)("%s of 200 series", async (query) => {
    const next = numbers(7);
    let compared = 0;
    for (let instant = 0; instant < 12; instant++) {
      // Some of them are at whole scrapes, where the edges of windows differ.
      const toMs =
        fromMs +
        60_000 +
        Math.floor(next() * 500) * 1000 +
        (instant % 3 === 0 ? 0 : Math.floor(next() * 1000));
      const theirs = await theirsAt(`${query}(requests_total[1m])`, toMs);
      for (const one of series) {
        const mine = ours(one, query, toMs, promql);
        const found = theirs.get(one.labels["index"] ?? "");
        expect(Number.isNaN(mine)).toBe(found === undefined);
        if (found === undefined) continue;
        expect(Math.abs(mine - found)).toBeLessThanOrEqual(1e-12 * Math.max(1, Math.abs(found)));
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(1000);
  });

  test.skipIf(binary === undefined)("how far a plain selector looks back, to the millisecond", async () => {
    const ends = series.map(({ samples }) => samples.at(-1)?.[0] ?? 0);
    let [found, absent] = [0, 0];
    for (const [n, end] of ends.slice(0, 20).entries()) {
      const toMs = end + lookbackMs + (n % 3) - 1;
      const theirs = await theirsAt("requests_total", toMs);
      for (const one of series) {
        const mine = ours(one, "value", toMs, promql);
        expect(Number.isNaN(mine) ? undefined : mine).toBe(theirs.get(one.labels["index"] ?? ""));
        if (Number.isNaN(mine)) absent++;
        else found++;
      }
    }
    expect(Math.min(found, absent)).toBeGreaterThan(500);
  });
});
