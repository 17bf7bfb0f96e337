import { manualClock } from "@plimsoll/component-base/testing";
import type { LiveMetrics, LiveQuery } from "@plimsoll/live";
import { expect, test } from "vitest";
import { createFileQueries } from "../../../src/backends/live/file-queries.ts";
import type { PreparedQuery } from "../../../src/backends/prometheus/query/prepared-query.ts";

const live = {
  namespace: "gateway",
  port: "metrics",
  path: "/metrics",
  interval: "1s",
  scheme: "http",
} as const;
const signal = () => new AbortController().signal;

/** Each query reads 400,000 samples once, and then its result is known. */
function rig() {
  const clock = manualClock(1_000_000);
  const asked = new Set<LiveQuery>();
  const metrics: LiveMetrics = {
    known(query) {
      if (!asked.has(query)) query.onRows?.(400_000);
      asked.add(query);
      const result = { type: "vector", samples: [], warnings: [], infos: [] } as const;
      return { ok: true, result, isNewest: () => true };
    },
    get: () => Promise.reject(new Error("all results are known")),
    stop: () => Promise.resolve(),
  };
  const found = { ok: true, targets: [], refused: [] } as const;
  const run = createFileQueries({ clock, metrics, findPods: () => () => Promise.resolve(found) });
  const request = async (namespace: string, promql: string) => {
    const query = { batched: { planned: { ok: true, plan: { promql } }, matchers: [] } };
    return await run(live, query as unknown as PreparedQuery, {
      key: promql,
      names: undefined,
      namespace,
      caller: { signal },
    });
  };
  return { clock, asked, request };
}

test("a namespace that requests ever other queries waits, and no other one does", async () => {
  const { clock, request } = rig();
  const found: boolean[] = [];
  for (const name of ["a", "b", "c", "d"]) found.push((await request("shop", name)).ok);
  expect(found).toEqual([true, true, true, false]);
  expect(await request("shop", "e")).toMatchObject({
    failure: { code: "Unavailable", message: expect.stringContaining("use fewer label selectors") },
  });
  expect((await request("other", "f")).ok).toBe(true);
  await clock.advance(2_000);
  expect((await request("shop", "d")).ok).toBe(true);
});

test("results that are known cost nothing", async () => {
  const { asked, request } = rig();
  for (let at = 0; at < 100; at += 1) expect((await request("shop", "sum(a)")).ok).toBe(true);
  expect(asked.size).toBe(1);
});

test("a plan that a request made keeps no labels between evaluations", async () => {
  const { asked, request } = rig();
  await request("shop", "sum by (ingress) (a)");
  const [query] = asked;
  expect(query?.plan.result).not.toBe(query?.plan.result);
  expect(query?.whole?.plan.selectors.map(({ name }) => name)).toEqual(["a"]);
});
