import { expect, test } from "vitest";
import { withVariants } from "../../src/tune/finalists.ts";

const saving = (...saved: readonly number[]) => saved.map((one) => ({ figures: { saved: one } }) as never);
const savedOf = (all: readonly { readonly figures: { readonly saved: number } }[]) =>
  all.map(({ figures }) => figures.saved);

test.each([
  [
    [9, 8, 7],
    [6, 5, 4],
    [9, 8, 7],
  ],
  [
    [9, 8],
    [6, 5, 4],
    [9, 8, 4],
  ],
  [[9], [6, 5, 4, 3], [9, 4, 3]],
  [[9, 8], [6], [9, 8, 6]],
  [[9], [6], [9, 6]],
  [[9, 8], [], [9, 8]],
  [[], [6, 5, 4], [6, 5, 4]],
  [[9, 8, 7, 6], [5], [9, 7, 6]],
])("variants %j %j take no place of others: %j", (all, moderate, finalists) => {
  expect(savedOf(withVariants(saving(...all), saving(...moderate), 3))).toEqual(finalists);
});
