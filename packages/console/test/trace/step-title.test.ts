import { expect, test } from "vitest";
import { choose } from "../../src/object/decisions.ts";
import { firstOpen, stepId, stepTitle } from "../../src/trace/step-title.ts";
import { fixtureObjects } from "../fixtures/objects.ts";
import { historyOf } from "../fixtures/world.ts";

const histories = fixtureObjects.map(historyOf);

test("each step of each decision has a line and an id of its own", () => {
  for (const { decisions } of histories)
    for (const { decision, at } of decisions) {
      const ids = decision.trace.map(stepId);
      expect(new Set(ids).size).toBe(ids.length);
      expect(decision.trace.every((step) => stepTitle(step, Date.parse(at)).text !== "")).toBe(true);
    }
});

test("the metric that decides, what holds and what failed are open at first", () => {
  const newest = histories.map(({ name, decisions }) => [
    name,
    [...firstOpen(decisions.at(-1)?.decision ?? { trace: [] })],
  ]);
  expect(Object.fromEntries(newest.slice(0, 4))).toEqual({
    shop: ["metric-0", "stabilize"],
    billing: ["metric-0", "limit"],
    import: ["metric-0"],
    api: ["metric-0"],
  });
});

test("of an instant the last decision before it is chosen", () => {
  const { decisions = [] } = histories[0] ?? {};
  const at = decisions[5]?.at ?? "";
  expect(choose(decisions, at)).toBe(5);
  expect(choose(decisions, undefined)).toBe(decisions.length - 1);
  expect(choose(decisions, "2000-01-01T00:00:00Z")).toBe(0);
  expect(choose([], undefined)).toBe(-1);
});
