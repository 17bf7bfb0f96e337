import { expect, test } from "vitest";
import { inSlices } from "../../src/discovery/slices.ts";

test("long lists leave other work its turns, and short ones take none", async () => {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const seen: number[] = [];
  const numbers = Array.from({ length: 10_000 }, (_, index) => index);
  await inSlices(numbers, (number) => seen.push(number));
  isOver = true;
  expect(seen).toEqual(numbers);
  expect(turns).toBeGreaterThanOrEqual(9);
  const [before, short] = [turns, inSlices([1, 2], (number) => seen.push(number))];
  expect(seen.slice(-2)).toEqual([1, 2]);
  await short;
  expect(turns).toBeLessThanOrEqual(before + 1);
});
