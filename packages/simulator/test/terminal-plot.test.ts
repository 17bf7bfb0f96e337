import { expect, test } from "vitest";
import { sparkline } from "../src/index.ts";

test("a sparkline keeps the peak when it is compressed", () => {
  expect(sparkline([0, 1, 2, 4], 4)).toBe("▁▃▅█");
  expect(sparkline([1, 1, 1, 8, 1, 1, 1, 1], 4)).toBe("▂█▂▂");
});
