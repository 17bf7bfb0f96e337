import { expect, test } from "vitest";
import type { EngineResult, LiveCase } from "../src/oracle/live/cases.ts";
import { difference, engineResult, ownResult } from "../src/oracle/live/compare.ts";
import { type Engine, runLive } from "../src/oracle/live/run.ts";

const one: LiveCase = {
  query: "sum(x)",
  atMs: 2_000,
  lookbackMs: 5_000,
  series: [
    { labels: { __name__: "x", pod: "a" }, times: [1_000, 2_000], values: ["1", "0.1"] },
    { labels: { __name__: "x", pod: "b" }, times: [1_000, 2_000], values: ["0.2", "stale"] },
  ],
};

test.each<[string, EngineResult, string | undefined]>([
  ["the same bits", { rows: [{ value: "3fb999999999999a" }] }, undefined],
  [
    "another last bit",
    { rows: [{ value: "3fb999999999999b" }] },
    "[]: ours 0.1 (3fb999999999999a), the engine's 0.10000000000000002 (3fb999999999999b)",
  ],
  ["no series", {}, "[]: ours 0.1 (3fb999999999999a), the engine's nothing"],
  [
    "an error",
    { reason: "Match" },
    "[]: ours 0.1 (3fb999999999999a), the engine's nothing; : ours nothing, the engine's Match",
  ],
])("a result is compared with %s", (_, engine, expected) => {
  expect(difference(ownResult(one), engineResult(engine))).toBe(expected);
});

test("refusals agree whatever their words are", () => {
  const refused = ownResult({ ...one, query: "1 > 2" });
  expect(
    difference(refused, engineResult({ reason: "Refused", message: "comparisons need BOOL" })),
  ).toBeUndefined();
  expect(difference(refused, engineResult({ isScalar: true, rows: [{ value: "0" }] }))).toContain("Refused");
});

/** Answers as we do. */
const agreeing: Engine = async (cases) =>
  cases.map((asked) => {
    const own = ownResult(asked);
    const reason = own.get("");
    if (reason !== undefined) return { reason: reason.startsWith("Refused") ? "Refused" : reason };
    return {
      isScalar: own.has("scalar"),
      rows: Array.from(own, ([labels, value]) => ({
        ...(own.has("scalar")
          ? {}
          : { labels: Object.fromEntries(JSON.parse(labels) as [string, string][]) }),
        value,
      })),
    };
  });

test("a run counts what agrees, and most results have series", async () => {
  const counts = await runLive({ cases: 100, seed: 1 }, agreeing, () => undefined);
  expect(counts).toMatchObject({ passed: 100, failed: 0 });
  expect(counts.nonempty).toBeGreaterThan(50);
});

test("a case that differs is made smaller, and printed", async () => {
  const lines: string[] = [];
  const engine: Engine = async (cases) => {
    const results = await agreeing(cases);
    return results.map((result, at) =>
      (cases[at]?.query.includes("sum") ?? false) && (result.rows?.length ?? 0) > 0 ? {} : result,
    );
  };
  const { failed } = await runLive({ cases: 20, seed: 1 }, engine, (line) => lines.push(line));
  expect(failed).toBeGreaterThan(0);
  const [said = "", json = ""] = lines[0]?.split("\n") ?? [];
  expect(said).toContain("the engine's nothing");
  const smallest = JSON.parse(json) as LiveCase;
  expect(smallest.series.length).toBeLessThanOrEqual(2);
});
