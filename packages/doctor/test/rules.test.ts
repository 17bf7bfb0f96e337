import { expect, test } from "vitest";
import { rules } from "../src/index.ts";

test("there are 46 rules, each with its own identifier, in order", () => {
  const ids = rules.map(({ id }) => id);
  expect(ids).toEqual(Array.from({ length: 46 }, (_, index) => `PL-${String(index + 1).padStart(3, "0")}`));
});
