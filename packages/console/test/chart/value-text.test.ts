import { expect, test } from "vitest";
import { valueText } from "../../src/chart/plot.ts";

test.each([
  [0, "", "0"],
  [0.25, "", "0.25"],
  [8000, "", "8000"],
  [20_000, "", "20k"],
  [1_200_000, "", "1.2M"],
  [3_221_225_472, "", "3.221G"],
  [60, " %", "60 %"],
])("%d with the unit %j is %s", (value, unit, text) => {
  expect(valueText(value, unit)).toBe(text);
});
