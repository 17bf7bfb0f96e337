import type { InstantResult } from "@plimsoll/prometheus";
import { expect, test } from "vitest";
import type { ExecutableQuery, Executor } from "../../../../src/backends/prometheus/query/execute.ts";
import {
  createSharedResults,
  type SharedResults,
} from "../../../../src/backends/prometheus/query/shared-results.ts";
import { createEngineTelemetry } from "../../../../src/telemetry/prometheus.ts";

const clock = { ms: 0 };
const logged: object[] = [];
const log = { debug() {}, info() {}, warn: (fields: object) => void logged.push(fields), error() {} };

function query(
  promql: string,
  more: Partial<ExecutableQuery> & { namespace?: string } = {},
): ExecutableQuery {
  const signal = () => new AbortController().signal;
  const { namespace = "ns", ...rest } = more;
  return { promql, account: { metric: "m", namespace }, kind: "exact", caller: { signal }, ...rest };
}

interface Bench {
  readonly results: SharedResults;
  /** The queries that were sent. */
  readonly sent: string[];
  /** Whether the result is cached at a time. */
  cachedAt(ms: number, promql?: string): boolean;
}

/** The data of each result are as old as the moment of the query, unless it is given. */
function bench(
  maxAgeMs: number,
  dataAtMs?: number,
  maxBytes?: number,
  { isByNamespace = false, warnings = [] as readonly string[] } = {},
): Bench {
  const sent: string[] = [];
  const executor: Executor = {
    isHasty: () => false,
    unanswered: () => 0,
    async execute({ promql }) {
      sent.push(promql);
      const atMs = dataAtMs ?? clock.ms;
      const sample = { labels: { l: "x".repeat(promql.length > 3 ? 3_000 : 1_000) }, value: 1, atMs };
      return { type: "vector", samples: [sample], warnings, infos: [] };
    },
  };
  const results = createSharedResults({
    executor,
    clock: { nowMs: () => clock.ms, after: () => () => undefined },
    log,
    telemetry: createEngineTelemetry(undefined),
    maxAgeMs,
    isByNamespace,
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

test("results of one namespace's rules evict none of another's, and are shared with none", async () => {
  clock.ms = 5;
  const { results, sent } = bench(100, undefined, 10_000, { isByNamespace: true });
  const mine = query("a", { namespace: "victim" });
  await results.get(mine);
  for (let at = 0; at < 100; at += 1) await results.get(query(`hostile ${at}`, { namespace: "hostile" }));
  expect(results.cached(mine)).toMatchObject({ type: "vector" });
  expect(results.cached(query("a", { namespace: "hostile" }))).toBeUndefined();
  sent.length = 0;
  await Promise.all(["one", "two"].map(async (namespace) => await results.get(query("b", { namespace }))));
  expect(sent).toEqual(["b", "b"]);
});

test("a result with more samples than its caller can use is not kept", async () => {
  clock.ms = 5;
  const { results } = bench(100);
  await results.get(query("a", { maxSamples: 0 }));
  await results.get(query("b", { maxSamples: 1 }));
  expect(results.cached(query("a"))).toBeUndefined();
  expect(results.cached(query("b"))).toMatchObject({ type: "vector" });
});

test("warnings of Prometheus are logged once a minute for each namespace", async () => {
  clock.ms = 5;
  logged.length = 0;
  const { results } = bench(0, undefined, undefined, { warnings: ["partial response"] });
  for (let at = 0; at < 50; at += 1) {
    await results.get(query(`q${at}`));
    await results.get(query(`q${at}`, { namespace: "other" }));
  }
  expect(logged).toEqual([
    { promql: "q0", warnings: ["partial response"] },
    { promql: "q0", warnings: ["partial response"] },
  ]);
  clock.ms += 60_000;
  await results.get(query("later"));
  expect(logged.at(-1)).toEqual({ promql: "later", warnings: ["partial response"] });
});
