import { enforceNamespace } from "@plimsoll/prometheus/enforce";
import { expect, test } from "vitest";
import { changed, respelled } from "../src/oracle/promql/change.ts";
import { compareQueries, enforced, noCounts } from "../src/oracle/promql/compare.ts";
import { parsePromqlOptions } from "../src/oracle/promql/options.ts";
import { type PromqlParser, promqlPrograms, type Verdict } from "../src/oracle/promql/parsers.ts";
import { runPromql } from "../src/oracle/promql/run.ts";
import { createRandom } from "../src/oracle/random.ts";

const agreed: Verdict = {
  isQuery: true,
  isEnforced: true,
  leftOut: 0,
  isRewritten: true,
  isSame: true,
  selectors: 1,
  escapes: 0,
  isOther: true,
  otherEscapes: 0,
  cost: { maxRangeMs: 0, maxEvaluations: 1, maxLookbackMs: 0, hasFixedTime: false },
};

function parserOf(verdict: Verdict, queries: readonly string[] = []): PromqlParser {
  return {
    version: "3.8",
    random: async (count) => Array.from({ length: count }, () => "a"),
    corpus: async () => queries,
    check: async ({ cases }) => cases.map(() => verdict),
    close: async () => undefined,
  };
}

test.each<[string, Partial<Verdict>]>([
  ["a selector lacks the namespace", { escapes: 1 }],
  ["a selector lacks the namespace on VictoriaMetrics", { otherEscapes: 1 }],
  ["not the expression of the enforcer", { isSame: false }],
  ["2 selectors instead of 1", { selectors: 2 }],
  ["another cost", { cost: { maxRangeMs: 0, maxEvaluations: 2, maxLookbackMs: 0, hasFixedTime: false } }],
])("it is found that %s", async (what, difference) => {
  const counts = noCounts();
  await compareQueries(counts, ["a"], [parserOf({ ...agreed, ...difference })]);
  expect(counts.findings.map((finding) => finding.what)).toEqual([`3.8: ${what}`]);
});

test("what agrees is counted, and what is refused by its reason", async () => {
  const counts = noCounts();
  await compareQueries(counts, ["a", "a[1m+1m]", "a b"], [parserOf(agreed)]);
  expect(counts).toMatchObject({ queries: 3, rewritten: 1, same: 1, findings: [], notRead: ["a b"] });
  expect([...counts.refused]).toEqual([
    ["Unsupported", 1],
    ["Syntax", 1],
  ]);
});

test("a run counts random, changed and collected queries", async () => {
  const lines: string[] = [];
  const run = (verdict: Verdict) =>
    runPromql({ cases: 3, seed: 1, isCorpusOnly: false }, [parserOf(verdict, ["a", "a"])], (line) =>
      lines.push(line),
    );
  const { passed, failed } = await run({ ...agreed, escapes: 1 });
  // One of the corpus, and each random one.
  expect(failed).toBeGreaterThanOrEqual(4);
  expect(passed + failed).toBeGreaterThanOrEqual(7);
  expect(lines[0]).toContain("corpus of Prometheus: 1 queries, 1 rewritten");
});

/** Without the places, which another spelling moves. */
function amountsOf(result: ReturnType<typeof enforceNamespace>) {
  if (!result.ok) return result;
  const { figures, ...times } = result.cost;
  return { ...times, amounts: Object.entries(figures).map(([kind, { amount }]) => [kind, amount]) };
}

test("changes of one seed are the same, and another spelling means the same", () => {
  const [random, again] = [createRandom("promql"), createRandom("promql")];
  const query = 'sum by (pod) (rate({__name__="a",b="c"}[5m])) > bool 1';
  const plain = enforceNamespace('sum by (pod) (rate(a{b="c"}[5m])) > bool 1', enforced);
  for (let round = 0; round < 200; round += 1) {
    const text = changed(random, query, "up");
    expect(changed(again, query, "up")).toBe(text);
    const spelled = enforceNamespace(respelled(createRandom(`respelled ${round}`), query), enforced);
    expect(amountsOf(spelled)).toEqual(amountsOf(plain));
  }
});

test.each([
  [["--cases", "5", "--seed", "7", "--corpus"], { cases: 5, seed: 7, isCorpusOnly: true }],
  [[], { cases: 1_000, seed: 3, isCorpusOnly: false }],
])("options %j", (args, options) => {
  expect(parsePromqlOptions(args, () => 3)).toEqual({ ok: true, options });
});

test.each([
  [["--cases", "0"], "--cases 0: must be a positive integer"],
  [["--seed", "x"], "--seed x: must be an integer"],
  [["--unknown"], "unknown"],
])("options %j are refused", (args, problem) => {
  expect(parsePromqlOptions(args, () => 3)).toMatchObject({
    ok: false,
    problem: expect.stringContaining(problem),
  });
});

test("each program has its own versions", () => {
  expect(promqlPrograms("m").map(({ name, pins }) => [name, pins])).toEqual([
    ["promql-3.8", "go"],
    ["promql-3.16", "releases/3.16"],
    ["promql-2.42", "releases/2.42"],
  ]);
});
