import type { PrometheusClient } from "@plimsoll/prometheus";
import { expect, test } from "vitest";
import { seriesFacts, silenceMs } from "../src/cluster/series-facts.ts";

/** Answers by the start of a query: a value, or no series. */
function asked(answers: Readonly<Record<string, number>> = {}) {
  const queries: string[] = [];
  const query = (promql: string) => {
    queries.push(promql);
    const value = Object.entries(answers).find(([start]) => promql.startsWith(start))?.[1];
    const samples = value === undefined ? [] : [{ labels: { __name__: "hits", pod: "a" }, value }];
    return Promise.resolve({ type: "vector", samples });
  };
  const prometheus = { query } as unknown as PrometheusClient;
  return { queries, prometheus, nowMs: 1_000_000, signal: new AbortController().signal };
}

test("series without a sample now are not looked at any further", async () => {
  const request = asked();
  expect(await seriesFacts("hits", request)).toEqual({ scrapeIntervalMs: undefined, labels: undefined });
  expect(request.queries).toEqual(["topk(1, hits)"]);
});

test("one series is looked at where there are some", async () => {
  const request = asked({ topk: 1, count_over_time: 21, min_over_time: 400, timestamp: 1000 });
  expect(await seriesFacts("hits", request)).toEqual({ scrapeIntervalMs: 28_571, labels: ["pod"] });
  expect(request.queries.slice(1).every((promql) => promql.includes('pod="a"'))).toBe(true);
});

test("nothing is looked back at while there are samples", async () => {
  const alive = asked({ count: 5, max: 900 });
  expect(await silenceMs("hits", alive)).toBeUndefined();
  expect(alive.queries).toEqual(["count(hits)"]);
  expect(await silenceMs("hits", asked({ max: 900 }))).toBe(100_000);
});
