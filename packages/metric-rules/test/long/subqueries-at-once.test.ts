// What the longest subqueries of tenants take of a real Prometheus when several run at a time.
import { type CostKind, enforceNamespace } from "@plimsoll/prometheus/enforce";
import { describe, expect, test } from "vitest";
import { defaultRuleLimits } from "../../src/compile/limits.ts";
import { askAtOnce, longSubqueries, shop } from "../compile/at-once.ts";

/** On idle cores 2.4 GB are enough for 2.42. Beside other work Go frees later, and it took more than 3 GB. */
const longBytes = 4_000_000_000;

describe.each([
  ["PROMETHEUS", process.env["PROMETHEUS"]],
  ["PROMETHEUS_3", process.env["PROMETHEUS_3"]],
] as const)("%s", (_, binary) => {
  // `npm test` brings each server where the distribution has it.
  test.skipIf(binary === undefined)(
    "three long subqueries of thousands of series at a time leave Prometheus within its memory",
    async () => {
      const statuses = await askAtOnce(binary ?? "", longSubqueries, longBytes);
      // Those that take too long time out.
      expect([200, 422, 503]).toEqual(expect.arrayContaining([...statuses]));
    },
    180_000,
  );
});

test("the subqueries that are tried are near a limit", () => {
  const shares = longSubqueries.map((query) => {
    const enforced = enforceNamespace(query(1), shop);
    if (!enforced.ok) throw new Error(enforced.message);
    const figures = Object.entries(enforced.cost.figures) as [CostKind, { amount: number }][];
    return Math.max(...figures.map(([kind, { amount }]) => amount / defaultRuleLimits.maxCost[kind]));
  });
  expect(shares.filter((share) => share > 0.95).length).toBe(longSubqueries.length);
});
