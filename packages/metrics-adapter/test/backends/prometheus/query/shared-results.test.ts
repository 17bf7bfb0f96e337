import type { InstantResult } from "@plimsoll/prometheus";
import { expect, test } from "vitest";
import type { ExecutableQuery, Executor } from "../../../../src/backends/prometheus/query/execute.ts";
import {
  createSharedResults,
  type SharedResults,
} from "../../../../src/backends/prometheus/query/shared-results.ts";
import { createEngineTelemetry } from "../../../../src/telemetry/prometheus.ts";

const clock = { ms: 0 };
const log = { debug() {}, info() {}, warn() {}, error() {} };

function query(promql: string): ExecutableQuery {
  const signal = () => new AbortController().signal;
  return { promql, account: { metric: "m", namespace: "ns" }, kind: "exact", caller: { signal } };
}

interface Bench {
  readonly results: SharedResults;
  /** The queries that were sent. */
  readonly sent: string[];
  /** Whether the result is cached at a time. */
  cachedAt(ms: number, promql?: string): boolean;
}

/** The data of each result are as old as the moment of the query, unless it is given. */
function bench(maxAgeMs: number, dataAtMs?: number, maxBytes?: number): Bench {
  const sent: string[] = [];
  const executor: Executor = {
    isHasty: () => false,
    async execute({ promql }) {
      sent.push(promql);
      const atMs = dataAtMs ?? clock.ms;
      const sample = { labels: { l: "x".repeat(promql.length > 3 ? 3_000 : 1_000) }, value: 1, atMs };
      return { type: "vector", samples: [sample], warnings: [], infos: [] };
    },
  };
  const results = createSharedResults({
    executor,
    clock: { nowMs: () => clock.ms, after: () => () => undefined },
    log,
    telemetry: createEngineTelemetry(undefined),
    maxAgeMs,
    ...(maxBytes === undefined ? {} : { maxBytes }),
  });
  return {
    results,
    sent,
    cachedAt(ms, promql = "k") {
      clock.ms = ms;
      const result = results.get(query(promql));
      if (!(result instanceof Promise)) return true;
      result.catch(() => undefined);
      return false;
    },
  };
}

test("reuses a result up to its age, not a moment longer, whatever the clock does", async () => {
  clock.ms = 1_050;
  const late = bench(100, 1_000);
  const result: InstantResult = await late.results.get(query("k"));
  const isFresh = (ms: number): boolean => {
    clock.ms = ms;
    return late.results.freshnessOf(result, "exact").isFresh();
  };
  expect([isFresh(1_100), isFresh(1_101)]).toEqual([true, false]);
  expect([late.cachedAt(1_100), late.cachedAt(1_101)]).toEqual([true, false]);
  clock.ms = 1_000;
  const setBack = bench(100);
  await setBack.results.get(query("k"));
  expect([setBack.cachedAt(999), setBack.sent.length]).toEqual([false, 2]);
});

test("caches nothing when no age is allowed, or when it has passed already", async () => {
  clock.ms = 1_000;
  const off = bench(0);
  await off.results.get(query("k"));
  expect(off.cachedAt(1_000)).toBe(false);
  const late = bench(100, 800);
  await late.results.get(query("k"));
  expect(late.cachedAt(1_000)).toBe(false);
});

test("drops the least recently used results when there are too many bytes", async () => {
  clock.ms = 5;
  const { results, cachedAt } = bench(100, undefined, 10_000);
  for (const promql of ["a", "b", "c"]) await results.get(query(promql));
  for (let reads = 0; reads < 4; reads += 1) expect(cachedAt(5, "a")).toBe(true);
  await results.get(query("large"));
  expect(["a", "large", "b"].map((promql) => cachedAt(5, promql))).toEqual([true, true, false]);
});
