import { expect, test } from "vitest";
import { type CampaignOptions, runCampaign, shrinkDefects } from "../src/oracle/campaign.ts";
import type { Check } from "../src/oracle/difference.ts";
import { casesOf, parseOptions } from "../src/oracle/options.ts";
import type { Upstream } from "../src/oracle/upstream.ts";
import type { VectorCase } from "../src/oracle/vector-file.ts";

/** In place of the real code: the result for a quantity is its length. */
const measuring: Upstream = {
  run: async (_kind, cases) =>
    cases.map((vector) =>
      "input" in vector
        ? { ...vector, milli: String(lengthOf(vector)) }
        : { ...vector, oracleError: "no input" },
    ),
  close: async () => undefined,
};

/** In place of ours: wrong on every text with an "e" in it. */
const mistaken: Check = (file) =>
  file.cases.flatMap((evaluated) =>
    String(evaluated["input"]).includes("e")
      ? [{ name: evaluated.name, path: "milli", expected: String(evaluated["milli"]), actual: "?" }]
      : [],
  );

function lengthOf(vector: VectorCase): number {
  return String(vector["input"]).length;
}

function options(
  kind: CampaignOptions["kind"],
  rest: Pick<CampaignOptions, "cases" | "upstream" | "check">,
): CampaignOptions {
  return { kind, seed: "s", release: "1.37", ...rest };
}

test("a mismatch is shrunk to what makes it one, with upstream's result for the small case", async () => {
  const campaign = options("quantity", { cases: 500, upstream: measuring, check: mistaken });
  const result = await runCampaign(campaign);
  expect(result.passed + result.failed).toBe(500);
  expect(result.failed).toBeGreaterThan(10);
  expect(result.defects).toHaveLength(1);
  expect(result.defects[0]?.count).toBe(result.failed);
  const [defect] = await shrinkDefects(result.defects, campaign);
  expect(defect?.example.evaluated).toMatchObject({ input: "e", milli: "1" });
});

test("a trajectory loses the steps, pods and metrics that do not matter", async () => {
  const upstream: Upstream = {
    run: async (_kind, cases) =>
      cases.map((vector) =>
        isMeaningful(vector) ? vector : { ...vector, oracleError: "samples for metrics" },
      ),
    close: async () => undefined,
  };
  const check: Check = (file) =>
    file.cases.flatMap((evaluated) =>
      JSON.stringify(evaluated["steps"]).includes('"error":"deployments')
        ? [{ name: evaluated.name, path: "steps[7].expect.scaleTo", expected: "1", actual: "2" }]
        : [],
    );
  const campaign = options("trajectory", { cases: 40, upstream, check });
  const [defect] = await shrinkDefects((await runCampaign(campaign)).defects, campaign);
  const example = defect?.example.evaluated as VectorCase & { steps: readonly VectorCase[] };
  expect(example.steps).toHaveLength(1);
  expect(example.steps[0]?.["pods"] ?? []).toEqual([]);
  expect(example.steps[0]?.["scale"]).toHaveProperty("error");
});

function isMeaningful(vector: VectorCase): boolean {
  const steps = vector["steps"] as readonly VectorCase[] | undefined;
  return steps?.every((step) => Array.isArray(step["samples"])) === true;
}

test("cases that upstream refuses count neither way", async () => {
  const upstream: Upstream = {
    run: async (_kind, cases) =>
      cases.map((vector, at) => (at % 2 === 0 ? vector : { ...vector, oracleError: "no" })),
    close: async () => undefined,
  };
  const result = await runCampaign(options("behavior", { cases: 100, upstream, check: () => [] }));
  expect(result).toMatchObject({ passed: 50, failed: 0, refused: 50, defects: [] });
});

test("options name every problem at once", () => {
  const parsed = parseOptions(["--cases", "0", "--kind", "cron-hpa"], () => "1");
  expect(parsed).toEqual({
    ok: false,
    problems: [expect.stringContaining("--cases 0"), expect.stringContaining("cron-hpa")],
  });
  expect(parseOptions(["--count", "3"], () => "1").ok).toBe(false);
});

test("trajectories are fewer unless they are selected by name", () => {
  const all = parseOptions(["--cases", "20000"], () => "fresh");
  if (!all.ok) throw new Error(all.problems.join());
  expect(all.runs[0].seed).toBe("fresh");
  expect(casesOf("proposal", all.runs[0])).toBe(20_000);
  expect(casesOf("trajectory", all.runs[0])).toBe(500);
  const one = parseOptions(["--cases", "20000", "--kind", "trajectory"], () => "fresh");
  if (!one.ok) throw new Error(one.problems.join());
  expect(casesOf("trajectory", one.runs[0])).toBe(20_000);
});

test("of several releases the usual one is run with all cases, and the others with a quarter", () => {
  const releases = ["1.37", "1.36", "1.38"].flatMap((release) => ["--semantics", release]);
  const parsed = parseOptions(["--cases", "2000", ...releases], () => "1");
  if (!parsed.ok) throw new Error(parsed.problems.join());
  expect(parsed.runs.map(({ release, cases, isEverything }) => [release, cases, isEverything])).toEqual([
    ["1.37", 2000, true],
    ["1.36", 500, false],
    ["1.38", 500, false],
  ]);
  expect(parseOptions(["--semantics", "1.37", "--semantics", "1.3"], () => "1")).toMatchObject({ ok: false });
});
