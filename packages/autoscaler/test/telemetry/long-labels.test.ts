import { expect, test } from "vitest";
import { labelText } from "../../src/telemetry/exposition.ts";

test("a label of any length is cut, and two that begin alike stay two", () => {
  const long = "x".repeat(200_000);
  const [one, other] = ["a", "b"].map((end) => labelText("metric", long + end));
  expect(one).not.toBe(other);
  expect([one?.length, other?.length]).toEqual([1033, 1033]);
  expect(labelText("metric", "a".repeat(1024))).toBe(`metric="${"a".repeat(1024)}"`);
});
