import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readOptions } from "../repeat/options.ts";
import { type Progress, repeat, type TestRun } from "../repeat/repeat.ts";
import { readReport, startLoad } from "../repeat/run-tests.ts";

const green: TestRun = { seconds: 100, passed: 3, failed: [], errors: [] };
const red: TestRun = { seconds: 140, passed: 2, failed: ["kube > closes"], errors: ["closes: seed 7"] };

/** A machine whose runs end as listed; an undefined one is interrupted. */
function machine(...outcomes: readonly (TestRun | undefined)[]) {
  const queue = [...outcomes];
  const lines: string[] = [];
  let kept: Progress | undefined;
  return {
    lines,
    kept: () => kept,
    left: () => queue.length,
    call: (times: number, conditions = "commit 1") =>
      repeat({
        times,
        conditions,
        kept,
        runOnce: async () => queue.shift(),
        keep: (progress) => {
          kept = progress === undefined ? undefined : (JSON.parse(JSON.stringify(progress)) as Progress);
        },
        print: (line) => lines.push(line),
      }),
  };
}

test("each run has a line, and the end has the mean and the failures by name", async () => {
  const { call, lines, kept } = machine(green, red, green);
  expect(await call(3)).toEqual([green, red, green]);
  expect(lines).toEqual([
    "run 1 of 3: 100 s, 3 passed, 0 failed",
    "run 2 of 3: 140 s, 2 passed, 1 failed",
    "closes: seed 7",
    "run 3 of 3: 100 s, 3 passed, 0 failed",
    "failed in 1 of 3: kube > closes",
    "3 runs: mean 113 s, 100 to 140 s; 1 with failures",
  ]);
  expect(kept()).toBeUndefined();
});

test("a call that was interrupted is continued, and the run it was in is not counted", async () => {
  const { call, lines, left } = machine(green, undefined, red, green);
  expect(await call(3)).toEqual([green]);
  expect(lines.at(-1)).toBe("interrupted after 1 of 3; the same call goes on from here");
  expect(await call(3)).toEqual([green, red, green]);
  expect(lines).toContain("run 1 of 3: 100 s, 3 passed, 0 failed (before)");
  expect(left()).toBe(0);
});

test("runs of another commit or under another load do not count", async () => {
  const { call } = machine(green, undefined, red);
  await call(2);
  expect(await call(1, "commit 2")).toEqual([red]);
});

test("options that are not what they should be are refused", () => {
  expect(readOptions([])).toEqual({ times: 10, load: 0, isReset: false });
  expect(readOptions(["--times", "3", "--load=2", "--reset"])).toEqual({ times: 3, load: 2, isReset: true });
  expect(() => readOptions(["--times", "0"])).toThrow("--times: 0 is not a whole number of at least 1");
  expect(() => readOptions(["--load", "1.5"])).toThrow("--load: 1.5 is not a whole number of at least 0");
  expect(() => readOptions(["--tims", "3"])).toThrow("--tims");
});

test("a report gives the tests by file and name; a run that fails without one has failed", () => {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-report-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "report.json");
  const report = (...files: readonly object[]) => writeFileSync(path, JSON.stringify({ testResults: files }));
  const passes = { fullName: "opens", status: "passed" };
  report(
    {
      name: "/r/a.test.ts",
      status: "failed",
      assertionResults: [
        passes,
        { fullName: "closes", status: "failed", failureMessages: ["Error: seed 7"] },
      ],
    },
    { name: "/r/b.test.ts", status: "failed", assertionResults: [] },
  );
  const failed = ["a.test.ts > closes", "b.test.ts (the file)"];
  expect(readReport(path, "/r", 1)).toEqual({ passed: 1, failed, errors: ["closes: Error: seed 7"] });
  report({ name: "/r/a.test.ts", status: "passed", assertionResults: [passes] });
  expect(readReport(path, "/r", 0)).toEqual({ passed: 1, failed: [], errors: [] });
  expect(readReport(path, "/r", 1)).toEqual({ passed: 1, failed: ["(no test, exit code 1)"], errors: [] });
  expect(readReport(join(folder, "none"), "/r", 1)).toEqual({
    passed: 0,
    failed: ["(no report, exit code 1)"],
    errors: [],
  });
});

test("load is gone once it is ended", async () => {
  const { pids, end } = startLoad(2);
  const running = () => pids.filter((pid) => pid !== undefined && isAlive(pid));
  expect(running()).toHaveLength(2);
  await end();
  expect(running()).toEqual([]);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
