import { expect, test } from "vitest";
import { readOptions } from "../../src/options/options.ts";

test("reads what is given", () => {
  expect(readOptions(["--seed", "7", "--hours=1.5", "--minutes", "2"])).toMatchObject({
    seed: 7,
    hours: 1.5,
    minutes: 2,
    replay: undefined,
    out: ".",
    shrinkSeconds: 120,
  });
  expect(readOptions(["--replay", "found.json", "--trace", "trace"])).toMatchObject({
    replay: "found.json",
    trace: "trace",
  });
});

test.each([
  [["--seed", "one"], "--seed: not a number above 0: one"],
  [["--seed", "1.5"], "--seed: not a number above 0: 1.5"],
  [["--hours", "0"], "--hours: not a number above 0: 0"],
  [["--shrink-seconds", "x"], "--shrink-seconds: not a number: x"],
  [["--replay", "a", "--seed", "1"], "--replay: the file has everything"],
  [["--trace", "a", "--minutes", "1"], "--trace: is for one run"],
  [["--sede", "1"], "--sede"],
])("refuses %j", (args, message) => {
  expect(() => readOptions(args)).toThrow(message);
});
