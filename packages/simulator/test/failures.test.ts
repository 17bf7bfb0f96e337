// Scrapes that fail, target by target.
import { expect, test } from "vitest";
import { createFailures } from "../src/measure/failures.ts";

test("so many scrapes of a target fail, and each target has its own luck", () => {
  const failures = createFailures(0.1, 1, "shop", 20);
  const failed = (target: number) =>
    Array.from({ length: 20_000 }, (_, scrape) => failures.failed(target, scrape));
  const [one, other] = [failed(0), failed(1)];
  expect(one.filter(Boolean).length / 20_000).toBeCloseTo(0.1, 1);
  expect(one).not.toEqual(other);
});

test("targets that are gone are forgotten, and have the same luck when they are asked again", () => {
  const [long, fresh] = [createFailures(0.2, 1, "shop", 20), createFailures(0.2, 1, "shop", 20)];
  for (let target = 0; target < 1500; target++) long.any(target, target, target + 5);
  for (let scrape = 2000; scrape < 2100; scrape++) {
    expect(long.failed(3, scrape)).toBe(fresh.failed(3, scrape));
    expect(long.failed(1499, scrape)).toBe(fresh.failed(1499, scrape));
  }
});
