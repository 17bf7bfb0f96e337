import { expect, test } from "vitest";
import { type Comparison, compareAtRest, compareOnSameInputs, type Dated } from "./agreement.ts";

const comparison = (desiredReplicas: number, value: string, currentReplicas = 2): Comparison => ({
  currentReplicas,
  desiredReplicas,
  currentMetrics: [{ type: "External", external: { current: { value } } }],
  conditions: [],
});
const at = (atMs: number, one: Comparison): Dated => ({ atMs, comparison: one });
const rule = { windowMs: 2000, podMoves: [] };

test("the same inputs and another count are a disagreement", () => {
  const result = compareOnSameInputs([at(1500, comparison(4, "9"))], [at(1000, comparison(3, "9"))], rule);
  expect(result).toMatchObject({ compared: 1, notComparable: 0 });
  expect(result.disagreements).toHaveLength(1);
});

test("other metric values, or pods that changed between the looks, cannot be compared", () => {
  const builtIn = [at(1000, comparison(3, "9"))];
  expect(compareOnSameInputs([at(1500, comparison(4, "8"))], builtIn, rule).compared).toBe(0);
  const moved = { ...rule, podMoves: [1200] };
  expect(compareOnSameInputs([at(1500, comparison(4, "9"))], builtIn, moved).compared).toBe(0);
});

test("a comparison that no longer stood is not a counterpart", () => {
  const builtIn = [at(1000, comparison(2, "9")), at(2000, comparison(2, "5"))];
  expect(compareOnSameInputs([at(4500, comparison(2, "9"))], builtIn, rule).compared).toBe(0);
  expect(compareOnSameInputs([at(3500, comparison(2, "9"))], builtIn, rule).compared).toBe(1);
});

test("at rest, only the comparison that stands counts", () => {
  const builtIn = [at(1000, comparison(3, "9")), at(2000, comparison(2, "9"))];
  const own = [at(8000, comparison(3, "9"))];
  expect(compareAtRest(own, builtIn, { moves: [1500], restMs: 5000 }).disagreements).toHaveLength(1);
  expect(compareAtRest(own, builtIn, { moves: [4000], restMs: 5000 }).compared).toBe(0);
});
