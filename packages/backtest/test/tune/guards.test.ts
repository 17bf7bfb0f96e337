// Each guard with a candidate that breaks it alone; and the table of confidence.
import { expect, test } from "vitest";
import type { PeriodFigures } from "../../src/index.ts";
import { confidenceOf, type Evidence } from "../../src/tune/confidence.ts";
import { isBeyond, periodFigures } from "../../src/tune/figures.ts";
import { guardAgainst } from "../../src/tune/guards.ts";

const budget = { shortPodSeconds: 60, hotSeconds: 90 };

const today: PeriodFigures = {
  days: 5,
  podHours: 100,
  shortPodSeconds: 100,
  hotSeconds: 50,
  events: 20,
  reversals: 4,
  peak: 9,
  saved: 0,
  interval: { low: 0, high: 0 },
  brokenDays: 0,
};
const good: PeriodFigures = { ...today, podHours: 90, saved: 0.1, interval: { low: 0.08, high: 0.12 } };

test.each<{ what: string; of: Partial<PeriodFigures>; why: string | undefined }>([
  { what: "all kept", of: {}, why: undefined },
  { what: "as short as today's", of: { shortPodSeconds: 100 }, why: undefined },
  { what: "as hot as the budget", of: { hotSeconds: 90 }, why: undefined },
  {
    what: "shorter than both",
    of: { shortPodSeconds: 101, brokenDays: 2 },
    why: "breaks the objective on 2 of 5 test days",
  },
  {
    what: "hotter than both, on no single day",
    of: { hotSeconds: 91 },
    why: "breaks the objective on average of the test days",
  },
  {
    what: "too many reversals",
    of: { reversals: 6.1 },
    why: "reverses 6.1 changes a day on test days; today's reverses 4.0",
  },
  { what: "too little", of: { saved: 0.029 }, why: "saves 2.9 % on test days, less than 3.0 %" },
  { what: "more", of: { saved: -0.2 }, why: "takes 20.0 % more on test days" },
  {
    what: "not sure",
    of: { interval: { low: -0.01, high: 0.2 } },
    why: "saves 10.0 % on test days, which is uncertain: -1.0 % to 20.0 %",
  },
])("$what", ({ of, why }) => {
  expect(guardAgainst({ ...good, ...of }, today, { budget, period: "test" })).toBe(why);
});

test("figures are means of a day, and days beyond both are counted", () => {
  const day = { podHours: 10, peak: 3, events: 2, reversals: 1, hotSeconds: 0, shortPodSeconds: 0 };
  const own = [
    day,
    { ...day, podHours: 8, peak: 5, hotSeconds: 100 },
    { ...day, podHours: 6, shortPodSeconds: 30 },
  ];
  const figures = periodFigures(own, [day, day, day], { budget, seed: 1 }, "test");
  expect(figures).toMatchObject({ days: 3, podHours: 8, peak: 5, events: 2, reversals: 1, brokenDays: 1 });
  expect(figures.saved).toBeCloseTo(0.2, 12);
  expect(figures.hotSeconds).toBeCloseTo(100 / 3, 12);
  expect(
    isBeyond({ shortPodSeconds: 61, hotSeconds: 0 }, { shortPodSeconds: 0, hotSeconds: 0 }, budget),
  ).toBe(true);
});

const evidence: Evidence = {
  wholeDays: 28,
  skill: 0.8,
  censoredShare: 0,
  optimism: 0.01,
  saved: 0.1,
  interval: { low: 0.08, high: 0.12 },
  isMoving: false,
  isCapacityKnown: true,
};

test.each<{ of: Partial<Evidence>; confidence: string; reasons: readonly string[] }>([
  { of: {}, confidence: "high", reasons: [] },
  { of: { wholeDays: 20 }, confidence: "medium", reasons: ["20 whole days"] },
  { of: { wholeDays: 9 }, confidence: "low", reasons: ["9 whole days"] },
  {
    of: { skill: undefined },
    confidence: "medium",
    reasons: ["the agreement with the recorded decisions is unknown"],
  },
  { of: { skill: 0.1 }, confidence: "low", reasons: ["the open loop has a skill of 0.10"] },
  {
    of: { censoredShare: 0.02 },
    confidence: "medium",
    reasons: ["the load is a lower bound in 2.0 % of the time"],
  },
  {
    of: { optimism: 0.07 },
    confidence: "low",
    reasons: ["it saved 7.0 % less of today's pod-hours in validation than in training"],
  },
  {
    of: { interval: { low: 0.01, high: 0.2 } },
    confidence: "low",
    reasons: ["the interval is 1.0 % to 20.0 %"],
  },
  {
    of: { isCapacityKnown: false },
    confidence: "low",
    reasons: ["a pod's capacity is unknown: set an objective"],
  },
  {
    of: { isMoving: true, wholeDays: 20 },
    confidence: "low",
    reasons: ["20 whole days", "the load of the second half differs by more than 30 %"],
  },
])("confidence $confidence of $of", ({ of, confidence, reasons }) => {
  expect(confidenceOf({ ...evidence, ...of })).toEqual({ confidence, reasons });
});
