import { expect, test } from "vitest";
import { choose, clock, countsOf, failureText, parts, stepsOf, summary } from "../ci/parts.ts";

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

test("failures are named first, then come vitest's words or the last lines", () => {
  const listed =
    "\u001b[31m⎯⎯⎯⎯⎯⎯⎯ Failed Tests 2 ⎯⎯⎯⎯⎯⎯⎯\u001b[39m\n\n FAIL  core a.test.ts > adds\nAssertionError: 1\n FAIL  core b.test.ts > takes\nAssertionError: 2\n";
  expect(failureText(`many lines\n${listed}`)).toBe(
    " FAIL  core a.test.ts > adds\n FAIL  core b.test.ts > takes\n\nAssertionError: 1\nAssertionError: 2",
  );
  expect(failureText("OVER decide 2.0\nok   decide\n1 failed\n")).toBe(
    "OVER decide 2.0\nok   decide\n1 failed",
  );
  expect(failureText("many\nlast\n")).toBe("many\nlast");
  expect(failureText("x".repeat(1000))).toHaveLength(300);
});

test("failures of several parts fit together into what a log viewer keeps", () => {
  const lines = Array.from({ length: 1000 }, (_, index) => `line ${index}`).join("\n");
  const title = "⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯\n";
  expect(failureText(lines, 4)).toBe(lines.slice(-600));
  expect(failureText(`${title}${lines}`, 4)).toBe(lines.slice(0, 600));
  expect(failureText(` FAIL  a\n${lines}`, 4)).toBe(` FAIL  a\n${lines.slice(-591)}`);
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
    "test             2:50   3000 passed, 0 failed",
    "verify           0:35   14 passed, 1 failed",
    "all              3:10   3014 passed, 1 failed",
  ]);
  expect(clock(3599.6)).toBe("60:00");
});

test("parts run in their order, and an unknown one is refused", () => {
  expect(choose([])).toBe(parts);
  expect(choose(["verify", "test"]).map(({ name }) => name)).toEqual(["test", "verify"]);
  expect(() => choose(["tests"])).toThrow('unknown part "tests": use test, e2e, console-tests, docs-tests,');
});

test("a part that needs one core runs at the same time as the next one, when that was chosen", () => {
  const names = (chosen: readonly string[]) =>
    stepsOf(choose(chosen)).map((step) => step.map(({ name }) => name));
  expect(names([])).toEqual([
    ["test"],
    ["e2e"],
    ["console-tests", "docs-tests", "verify"],
    ["demo", "bench", "oracle"],
    ["promql", "live-oracle"],
    ["storm", "faults"],
    ["hostile"],
    ["cluster"],
  ]);
  expect(names(["storm"])).toEqual([["storm"]]);
  expect(names(["storm", "hostile"])).toEqual([["storm", "hostile"]]);
});

test("what is drawn is drawn from a fixed seed", () => {
  const seeds = choose(["test", "oracle", "promql", "live-oracle", "storm"]).map(
    ({ name, args, environment }) => [
      name,
      environment?.["PROPERTY_SEED"] ?? args[args.indexOf("--seed") + 1],
    ],
  );
  expect(seeds).toEqual([
    ["test", "1"],
    ["oracle", "1"],
    ["promql", "1"],
    ["live-oracle", "1"],
    ["storm", "1"],
  ]);
});
