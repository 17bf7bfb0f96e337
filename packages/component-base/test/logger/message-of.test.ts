import { expect, test } from "vitest";
import { messageOf } from "../../src/index.ts";

test.each([
  [new TypeError("no such file"), "no such file"],
  ["a string", "a string"],
  [undefined, "undefined"],
])("what %s says", (error, message) => {
  expect(messageOf(error)).toBe(message);
});
