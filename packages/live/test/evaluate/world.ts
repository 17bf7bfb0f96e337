// Series written as text, and queries on them.
import { compileQuery, evaluate, type LiveSeries, labelSet } from "@plimsoll/live";

export const startMs = 1_700_000_000_000;

/** One value a second from `startMs` on; "_" is a scrape that failed, "stale" marks the end of the series. */
export function series(labels: Readonly<Record<string, string>>, values: string): LiveSeries {
  const words = values.split(" ").map((word, at) => ({ word, ms: startMs + at * 1_000 }));
  const kept = words.filter(({ word }) => word !== "_");
  const samples = {
    times: Float64Array.from(kept, ({ ms }) => ms),
    values: Float64Array.from(kept, ({ word }) => Number(word)),
    stale: Uint8Array.from(kept, ({ word }) => (word === "stale" ? 1 : 0)),
    from: 0,
    to: kept.length,
  };
  return { labels: labelSet(Object.entries(labels)), samples };
}

interface Options {
  readonly atSeconds?: number;
  readonly lookbackMs?: number;
  readonly maxRows?: number;
}

/** What a query gives: each value by its labels, a number, or the reason why there is no result. */
export function ask(
  query: string,
  stored: readonly LiveSeries[],
  { atSeconds = 10, ...more }: Options = {},
): unknown {
  const plan = compileQuery(query);
  if (!plan.ok) return plan.message;
  const result = evaluate(plan, {
    ...more,
    atMs: startMs + atSeconds * 1_000,
    seriesOf: (selector) => stored.filter(({ labels }) => selector.matches(labels)),
  });
  if (!result.ok) return result.reason;
  if (result.type === "scalar") return result.value;
  const samples = result.type === "vector" ? result.samples : [];
  return Object.fromEntries(
    samples.map(({ labels, value }) => [
      Object.entries(labels)
        .map((pair) => pair.join("="))
        .join(" "),
      value,
    ]),
  );
}
