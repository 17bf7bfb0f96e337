import { expect, test } from "vitest";
import { memoize } from "../src/values/cron/zone.ts";

test("computes each result once, and forgets all rather than grow", () => {
  const computed: number[] = [];
  const square = memoize((n) => {
    computed.push(n);
    return n * n;
  }, 2);
  expect([2, 3, 2, 3].map(square)).toEqual([4, 9, 4, 9]);
  expect(computed).toEqual([2, 3]);
  expect([4, 2, 4].map(square)).toEqual([16, 4, 16]);
  expect(computed).toEqual([2, 3, 4, 2]);
});
