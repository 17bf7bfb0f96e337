// Which days are for what.
import { expect, test } from "vitest";
import { fullDays, minDays, splitDays } from "../../src/tune/split.ts";

test.each([
  { days: 7, training: 4 - 1, validation: 2, test: 2 },
  { days: 13, training: 8, validation: 3, test: 2 },
  { days: 14, training: 9, validation: 3, test: 2 },
  { days: 21, training: 13, validation: 4, test: 4 },
  { days: 28, training: 17, validation: 6, test: 5 },
])("$days days", ({ days, training, validation, test: last }) => {
  const split = splitDays(days);
  expect([split.training.length, split.validation.length, split.test.length]).toEqual([
    training,
    validation,
    last,
  ]);
});

test("each day is in one part, and the parts follow each other", () => {
  expect([minDays, fullDays]).toEqual([7, 14]);
  for (let count = minDays; count <= 100; count++) {
    const { training, validation, test: last } = splitDays(count);
    expect([...training, ...validation, ...last]).toEqual(Array.from({ length: count }, (_, at) => at));
    expect(last.length).toBeGreaterThanOrEqual(2);
    expect(last.length).toBeGreaterThanOrEqual(Math.min(2, Math.floor(count / 5)));
    expect(validation.length).toBeGreaterThanOrEqual(2);
    expect(training.length).toBeGreaterThanOrEqual(3);
  }
});
