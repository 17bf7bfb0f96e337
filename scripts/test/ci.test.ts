import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { choose, clock, countsOf, failureText, parts, stepsOf, summary } from "../ci/parts.ts";
import { root } from "../source/files.ts";

test("a part's last closing line counts", () => {
  expect(countsOf("1 passed, 1 failed\n3 passed, 0 failed, 2 skipped\n", true)).toEqual({
    passed: 3,
    failed: 0,
  });
});

test("a part without a closing line is one test, and one that fails without a failed test has a failure", () => {
  expect(countsOf("all is well\n", true)).toEqual({ passed: 1, failed: 0 });
  expect(countsOf("Killed\n", false)).toEqual({ passed: 0, failed: 1 });
  expect(countsOf("3 passed, 0 failed\n", false)).toEqual({ passed: 3, failed: 1 });
});

test("failures are what vitest lists, else the last lines", () => {
  const listed =
    "\u001b[31m⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯\u001b[39m\n\n FAIL  core a.test.ts > adds\nAssertionError: 1\n";
  expect(failureText(`many lines\n${listed}`)).toBe(
    "⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯\n\n FAIL  core a.test.ts > adds\nAssertionError: 1",
  );
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);
  expect(failureText(`${lines.join("\n")}\n`)).toBe(lines.slice(-40).join("\n"));
  expect(failureText("x".repeat(1000))).toHaveLength(300);
});

test("the end has each part and all of them", () => {
  expect(
    summary(
      [
        { name: "test", seconds: 170.4, passed: 3000, failed: 0 },
        { name: "verify", seconds: 35, passed: 14, failed: 1 },
      ],
      190,
    ),
  ).toEqual([
    "test        2:50   3000 passed, 0 failed",
    "verify      0:35   14 passed, 1 failed",
    "all         3:10   3014 passed, 1 failed",
  ]);
  expect(clock(3599.6)).toBe("60:00");
});

test("parts run in their order, and an unknown one is refused", () => {
  expect(choose([])).toBe(parts);
  expect(choose(["verify", "test"]).map(({ name }) => name)).toEqual(["test", "verify"]);
  expect(() => choose(["tests"])).toThrow("tests is no part; there are test, e2e, console, docs, verify");
});

test("a part that needs one core runs at the same time as the next one, when that was chosen", () => {
  const names = (chosen: readonly string[]) =>
    stepsOf(choose(chosen)).map((step) => step.map(({ name }) => name));
  expect(names([])).toEqual([
    ["test"],
    ["e2e"],
    ["console", "docs", "verify"],
    ["demo", "bench", "oracle"],
    ["promql", "storm", "faults"],
    ["hostile"],
    ["cluster"],
  ]);
  expect(names(["storm"])).toEqual([["storm"]]);
  expect(names(["storm", "hostile"])).toEqual([["storm", "hostile"]]);
});

test("what is drawn is drawn from a fixed seed", () => {
  const seeds = choose(["test", "oracle", "promql", "storm", "hostile"]).map(
    ({ name, args, environment }) => [
      name,
      environment?.["PROPERTY_SEED"] ?? args[args.indexOf("--seed") + 1],
    ],
  );
  expect(seeds).toEqual([
    ["test", "1"],
    ["oracle", "1"],
    ["promql", "1"],
    ["storm", "1"],
    ["hostile", "1"],
  ]);
});

test("docs/testing.md has the budget of each part", () => {
  const page = readFileSync(join(root, "docs/testing.md"), "utf8");
  const rows = [...page.matchAll(/^\| (\w+) \| `npm ([^`]+)` \| (\d+) \|/gm)].map(
    ([, name, command, minutes]) => `${name}: npm ${command}: ${minutes}`,
  );
  expect(rows).toEqual(parts.map(({ name, args, minutes }) => `${name}: npm ${args.join(" ")}: ${minutes}`));
});
