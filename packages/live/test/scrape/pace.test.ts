import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createPace, fairShare } from "../../src/scrape/pace.ts";

test("a namespace above its limit is slowed, and no other", () => {
  const pace = createPace({ perNamespace: 200, all: 1000 });
  pace.ask({}, "small", 10);
  pace.ask({}, "large", 300);
  pace.ask({}, "large", 100);
  expect([pace.factor("small"), pace.factor("large"), pace.factor("none")]).toEqual([1, 2, 1]);
});

test("all together are bounded, and whoever asks for less than the share keeps it", () => {
  const pace = createPace({ perNamespace: 200, all: 250 });
  const groups = ["a", "b", "c"].map((namespace) => ({ namespace }));
  for (const one of groups) pace.ask(one, one.namespace, one.namespace === "a" ? 50 : 200);
  expect([pace.factor("a"), pace.factor("b"), pace.factor("c")]).toEqual([1, 2, 2]);
  const [, last] = groups;
  if (last !== undefined) pace.ask(last, "b", 0);
  expect(pace.factor("c")).toBe(1);
});

test("shares add up to the total at most, and only those above it are cut", () => {
  assertProperty(
    fc.property(
      fc.array(fc.nat(1000), { maxLength: 30 }),
      fc.integer({ min: 1, max: 2000 }),
      (asked, total) => {
        const share = fairShare(asked, total);
        const given = asked.map((one) => Math.min(one, share)).reduce((sum, one) => sum + one, 0);
        expect(given).toBeLessThanOrEqual(total + 1e-6);
        expect(given).toBeCloseTo(
          Math.min(
            total,
            asked.reduce((sum, one) => sum + one, 0),
          ),
          6,
        );
      },
    ),
  );
});
