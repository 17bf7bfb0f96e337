import { expect, test } from "vitest";
import { unexplainedSleeps } from "../house/tests.ts";

const sleep = "await new Promise((resolve) => setTimeout(resolve, 5));";

test("a sleep needs a reason above it", () => {
  expect(unexplainedSleeps(`begin();\n${sleep}\n`)).toEqual([2]);
  expect(unexplainedSleeps(`begin();\n// The server gives up after 4 ms.\n${sleep}\n`)).toEqual([]);
});

test("a promise over several lines has it above the first", () => {
  const long = "await new Promise((resolve) => {\n  setTimeout(resolve, 5);\n});";
  expect(unexplainedSleeps(long)).toEqual([2]);
  expect(unexplainedSleeps(`// Asks again.\n${long}`)).toEqual([]);
});

test("the promises of timers are sleeps", () => {
  expect(unexplainedSleeps('import { setTimeout } from "node:timers/promises";')).toEqual([1]);
});
