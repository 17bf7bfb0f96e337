import { describe, expect, test } from "vitest";
import { diagnose, rules } from "../src/index.ts";
import { cases } from "./cases/cases.ts";
import { fixes, notMechanical } from "./fixes/fixes.ts";
import { evidenceOf, examine, said, type World } from "./world.ts";

test("each rule has advice that is applied here, or a reason why nothing can be", () => {
  const listed = [...Object.keys(fixes), ...Object.keys(notMechanical)];
  expect(listed.toSorted()).toEqual(rules.map(({ id }) => id));
});

const all = Object.entries(fixes).flatMap(([id, ways]) => ways.map((way) => [id, way.advice, way] as const));

/** Errors and warnings of every rule. */
function troubles(world: World): readonly string[] {
  const { findings } = diagnose(evidenceOf(world), rules);
  return [...new Set(findings.filter(({ severity }) => severity !== "info").map(({ id }) => id))];
}

describe.each(all)("%s: %s", (id, _, { advice, apply }) => {
  const before = cases[id]?.positive ?? {};
  const [finding] = examine(id, before).findings;
  const after = apply(before, finding?.command ?? "");

  test("is what the finding says, and makes it go", () => {
    expect(finding?.fix).toContain(advice);
    expect(examine(id, after).findings.map(said)).toEqual([]);
  });

  test("brings no other error or warning", () => {
    const known = troubles(before);
    expect(troubles(after).filter((one) => !known.includes(one))).toEqual([]);
  });
});
