import { boundJoins, type CostKind, enforceNamespace } from "@plimsoll/prometheus/enforce";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { costProblem } from "../../src/compile/cost-problem.ts";
import { defaultRuleLimits } from "../../src/compile/limits.ts";
import { askAtOnce, capBytes, joinsWithALongLabel, shop, startCapped } from "./at-once.ts";
import { costlyQuery } from "./costly-query.ts";

const series = 500;
const labelBytes = 64;
/** What one query may allocate for each series: 3,000 steps of 16 or 24 bytes, for several parts of the query. */
const allocatedPerSeries = 400_000;

/** For each kind of cost, the accepted queries that come closest to its limit. */
function worstQueries(): readonly string[] {
  const worst = new Map<CostKind, { readonly query: string; readonly share: number }[]>();
  for (const text of new Set(fc.sample(costlyQuery, { numRuns: 20_000, seed: 34 }))) {
    const query = `count(${text})`;
    const enforced = enforceNamespace(query, shop);
    if (!enforced.ok || costProblem(query, enforced, defaultRuleLimits) !== undefined) continue;
    for (const [kind, figure] of Object.entries(enforced.cost.figures) as [CostKind, { amount: number }][])
      worst.set(kind, [
        ...(worst.get(kind) ?? []),
        { query: boundJoins(enforced), share: figure.amount / defaultRuleLimits.maxCost[kind] },
      ]);
  }
  const found = [...worst.values()].flatMap((all) =>
    all.toSorted((one, other) => other.share - one.share).slice(0, 2),
  );
  return [...new Set(found.map(({ query }) => query))];
}

const queries = worstQueries();

describe.each([
  ["PROMETHEUS", process.env["PROMETHEUS"]],
  ["PROMETHEUS_3", process.env["PROMETHEUS_3"]],
] as const)("%s", (_, binary) => {
  // `npm test` brings each server where the distribution has it.
  test.skipIf(binary === undefined)(
    "the worst queries that are accepted leave Prometheus within its memory",
    async () => {
      const prometheus = await startCapped(binary ?? "", `ulimit -v ${capBytes / 1_000}`);
      try {
        const atMs = Date.now();
        await prometheus.write(manySeries(atMs));
        const costs: { query: string; allocated: number; resident: number }[] = [];
        expect(queries.length).toBeGreaterThan(15);
        for (const query of queries) {
          const before = await processBytes(prometheus.url);
          const parameters = new URLSearchParams({ query, time: String(atMs / 1_000), timeout: "60s" });
          const response = await fetch(`${prometheus.url}/api/v1/query?${parameters.toString()}`);
          expect([200, 422]).toContain(response.status);
          await response.arrayBuffer();
          const after = await processBytes(prometheus.url);
          costs.push({ query, allocated: after.allocated - before.allocated, resident: after.resident });
        }
        expect(costs.filter(isTooMuch)).toEqual([]);
      } finally {
        await prometheus.stop();
      }
    },
    120_000,
  );

  // `npm test` brings each server where the distribution has it.
  test.skipIf(binary === undefined)(
    "three joins at a time with a label of a megabyte leave Prometheus within its memory",
    async () => {
      const statuses = await askAtOnce(binary ?? "", joinsWithALongLabel);
      // Those that take too long time out.
      expect([200, 422, 503]).toEqual(expect.arrayContaining([...statuses]));
    },
    120_000,
  );
});

function isTooMuch({ allocated, resident }: { allocated: number; resident: number }): boolean {
  return !(allocated < series * allocatedPerSeries && resident < capBytes / 3);
}

function manySeries(atMs: number) {
  const text = (name: string, at: number): string => `${name}${at}-`.padEnd(labelBytes, "x");
  return Array.from({ length: series }, (_, at) => ({
    labels: {
      __name__: "up",
      namespace: "shop",
      n: String(at),
      pod: text("pod", at),
      a: text("a", at),
      b: text("b", at),
      c: text("c", at),
    },
    samples: [
      [atMs - 60_000, at],
      [atMs, at + 1],
    ] as const,
  }));
}

/** Prometheus' own figures. */
async function processBytes(url: string): Promise<{ readonly allocated: number; readonly resident: number }> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const read = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
  return {
    allocated: read("go_memstats_alloc_bytes_total"),
    resident: read("process_resident_memory_bytes"),
  };
}
