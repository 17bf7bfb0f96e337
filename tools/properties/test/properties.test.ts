import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { assertUnder, readBudget, runsOf } from "../src/index.ts";

const module = new URL("../src/index.ts", import.meta.url).href;

test.each([
  [{}, 20_000, 2_000],
  [{}, 600, 100],
  [{}, 15, 15],
  [{ PROPERTY_TIMES: "1" }, 600, 600],
  [{ PROPERTY_TIMES: "50" }, 15, 750],
])("under %j, %i runs are %i", (environment, full, runs) => {
  expect(runsOf(full, readBudget(environment))).toBe(runs);
});

test.each([{ PROPERTY_TIMES: "0" }, { PROPERTY_TIMES: "many" }, { PROPERTY_SEED: "x" }])(
  "%j is refused",
  (environment) => {
    expect(() => readBudget(environment)).toThrow(/is not a/);
  },
);

test("a property runs as often as its budget says", async () => {
  const assertProperty = assertUnder({ times: 2, seed: 42, limitMs: 60_000, endMs: 60_000 });
  let runs = 0;
  assertProperty(
    fc.property(fc.nat(), () => {
      runs++;
    }),
    { numRuns: 30 },
  );
  await assertProperty(
    fc.asyncProperty(fc.nat(), async () => {
      runs++;
    }),
    { numRuns: 30 },
  );
  expect(runs).toBe(120);
});

const budget = { times: 1, seed: 42, limitMs: 20, endMs: 60_000 };

test("a property that fails, or that takes longer than it may, fails with its seed", async () => {
  const assert = assertUnder(budget);
  expect(() => assert(fc.property(fc.nat(), () => false))).toThrow("seed: 42");
  const never = fc.asyncProperty(fc.nat(), () => new Promise<void>(() => {}));
  await expect(assert(never)).rejects.toThrow("seed: 42");
});

test("a run that never returns ends its process, and its seed is printed", async () => {
  const script = `
    import fc from ${JSON.stringify(import.meta.resolve("fast-check"))};
    import { assertUnder } from ${JSON.stringify(module)};
    assertUnder(${JSON.stringify({ ...budget, limitMs: 60_000, endMs: 40 })})(fc.property(fc.nat(), () => { for (;;); }));`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise((resolve) => child.on("exit", (_, signal) => resolve(signal)));
  expect(await text(child.stderr)).toContain("a property did not end; PROPERTY_SEED=42");
  expect(await ended).toBe("SIGKILL");
});
