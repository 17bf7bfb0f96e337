import { expect, test } from "vitest";
import { isWithin, lineOf, measurePart } from "../../src/short/check.ts";

const check = { what: "a / b", ratio: 2, atMost: 2, of: "4 and 2 µs" };

test("a ratio on its bound is within it, and one beyond it or unknown is not", () => {
  expect(isWithin(check)).toBe(true);
  expect(isWithin({ ...check, ratio: 2.01 })).toBe(false);
  expect(isWithin({ ...check, ratio: NaN })).toBe(false);
});

test("a line says what is over", () => {
  expect(lineOf(check)).toMatch(/^ok {3}a \/ b +2\.00 {2}at most 2 {2}\(4 and 2 µs\)$/);
  expect(lineOf({ ...check, ratio: 3 })).toMatch(/^OVER a/);
});

test("a part beyond a bound is measured again, and the lowest ratio counts", async () => {
  const other = { ...check, what: "c / d" };
  const turns = [
    [
      { ...check, ratio: 3 },
      { ...other, ratio: 1 },
    ],
    [
      { ...check, ratio: 1.5 },
      { ...other, ratio: 1.8 },
    ],
  ];
  const left = turns.values();
  expect(await measurePart(() => left.next().value ?? [])).toEqual([
    { ...check, ratio: 1.5 },
    { ...other, ratio: 1 },
  ]);
});

test("a part that stays beyond a bound is measured three times", async () => {
  let times = 0;
  const found = await measurePart(async () => [{ ...check, ratio: 5 - ++times / 10 }]);
  expect([times, found]).toEqual([3, [{ ...check, ratio: 4.7 }]]);
});

test("a part that fails is measured again, and fails when it does so each time", async () => {
  let times = 0;
  const fails = (until: number) => () => {
    if (++times < until) throw new Error("not in time");
    return [check];
  };
  expect(await measurePart(fails(3))).toEqual([check]);
  times = 0;
  await expect(measurePart(fails(4))).rejects.toThrow("not in time");
});
