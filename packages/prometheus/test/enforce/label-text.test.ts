import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { enforceNamespace } from "../../src/enforce/index.ts";
import { modelQuery, modelSeries, type Series } from "./label-model.ts";

const wide = {
  label: "namespace",
  namespace: "shop",
  limits: { length: 100_000, operators: 10_000, nesting: 1_000, selectors: 1_000 },
};
const bytesIn = (text: string): number => new TextEncoder().encode(text).length;
const textOf = (series: Series): number =>
  Object.values(series).reduce((sum, text) => sum + bytesIn(text), 0);

/** The longest text of each label, all together. */
function sourceText(all: readonly Series[]): number {
  const names = new Set(all.flatMap((one) => Object.keys(one)));
  return [...names].reduce((sum, name) => sum + Math.max(...all.map((one) => bytesIn(one[name] ?? ""))), 0);
}

test("the labels of a result are never longer than the figures say", () => {
  let [grown, near, all] = [0, 0, 0];
  assertProperty(
    fc.property(modelQuery, modelSeries, ({ query, run }, selected) => {
      fc.pre(query.length < 3_000);
      const result = enforceNamespace(query, wide);
      if (!result.ok) throw new Error(`${query}: ${result.message}`);
      const { labelCopies, labelBytes } = result.cost.figures;
      const bound = (labelCopies?.amount ?? 1) * sourceText(selected) + (labelBytes?.amount ?? 0);
      const made = run(selected).reduce((most, one) => Math.max(most, textOf(one)), 0);
      expect(made).toBeLessThanOrEqual(bound);
      all += 1;
      if (made > sourceText(selected)) grown += 1;
      if (made > bound / 2) near += 1;
    }),
    { numRuns: 5_000 },
  );
  // The model does multiply texts, and the bound is not far above them.
  expect(grown / all).toBeGreaterThan(0.05);
  expect(near / all).toBeGreaterThan(0.05);
});
