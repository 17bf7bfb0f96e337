// Floors from history: slots, classes, merging, entries that the API takes, and their loss.
import { readSchedules, scheduleState, zoneOffset } from "@plimsoll/core/schedules";
import { assertProperty } from "@plimsoll/properties";
import { randomStream } from "@plimsoll/simulator/parts";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  chosenGrouping,
  meanOf,
  pinball,
  podsFor,
  profileOf,
  type SeasonalDay,
  weekBeforeLoss,
} from "../../src/tune/seasonal.ts";
import { type FloorsOf, floorSchedules, slotNeeds } from "../../src/tune/seasonal-floors.ts";
import { mergeSlots } from "../../src/tune/seasonal-merge.ts";

const dayMs = 86_400_000;
const mondayMs = Date.parse("2026-01-05T00:00:00Z");

/** Days from a Monday on; a load for each half hour of each. */
function days(count: number, load: (day: number, slot: number) => number): readonly SeasonalDay[] {
  return Array.from({ length: count }, (_, day) => {
    const slots = Array.from({ length: 48 }, (_, slot) => load(day, slot));
    const fromMs = mondayMs + day * dayMs;
    return {
      date: new Date(fromMs).toISOString().slice(0, 10),
      fromMs,
      toMs: fromMs + dayMs,
      weekday: (day + 1) % 7,
      mean: meanOf(slots),
      peak: Math.max(...slots),
      slots,
    };
  });
}

const office = (day: number, slot: number): number => (day % 7 < 5 && slot >= 16 && slot < 36 ? 1000 : 100);

const of: FloorsOf = {
  timeZone: "Europe/Berlin",
  level: meanOf(days(14, office).map(({ mean }) => mean)),
  perPodTarget: 50,
  minReplicas: 2,
  maxReplicas: 100,
  leadMs: 150_000,
};

test("office hours become one entry for weekdays, earlier by the lead and the ramp, and none for weekends", () => {
  const schedules = floorSchedules(profileOf(days(21, office), "weekday-weekend", 0.9), of);
  expect(schedules).toEqual([
    {
      name: "floor-mon-fri-0800",
      timeZone: "Europe/Berlin",
      start: "52 7 * * 1,2,3,4,5",
      end: "0 18 * * 1,2,3,4,5",
      minReplicas: 20,
      ramp: { over: "5m", steps: 4 },
    },
  ]);
});

test("levels that change from week to week are taken out, and that of the last two weeks put in", () => {
  const growing = (day: number, slot: number): number => office(day, slot) * (1 + Math.floor(day / 7));
  const [weekdays] = profileOf(days(21, growing), "weekday-weekend", 1);
  const once = profileOf(days(21, office), "weekday-weekend", 1)[0];
  const top = Math.max(...(weekdays?.ratios ?? []));
  expect(top / Math.max(...(once?.ratios ?? []))).toBeLessThan(1.6);
  expect(top / Math.max(...(once?.ratios ?? []))).toBeGreaterThanOrEqual(1);
});

test("weekdays stay apart where that is better on weeks left out, and not otherwise", () => {
  const friday = (day: number, slot: number): number => office(day, slot) * (day % 7 === 4 ? 2 : 1);
  expect(chosenGrouping(days(28, friday), 0.75).grouping).toBe("weekday");
  const factors = Array.from({ length: 28 }, (_, day) => 0.7 + 0.6 * randomStream(1, "day", day).uniform());
  const same = days(28, (day, slot) => office(day, slot) * (factors[day] ?? 1));
  expect(chosenGrouping(same, 0.75).grouping).toBe("weekday-weekend");
});

test("a floor that is too low costs q for each unit, one that is too high the rest", () => {
  expect(pinball(0.9, 10, 15)).toBeCloseTo(4.5, 12);
  expect(pinball(0.9, 15, 10)).toBeCloseTo(0.5, 12);
  expect(pinball(0.9, 10, 10)).toBe(0);
});

test("the week before is right where weeks are the same, and unknown in the first", () => {
  expect(weekBeforeLoss(days(14, office), 0.9)).toBe(0);
  expect(weekBeforeLoss(days(7, office), 0.9)).toBeUndefined();
});

test("a load of whole pods needs no more than these", () => {
  expect([podsFor(100, 10), podsFor(100.001, 10), podsFor(0.1 + 0.2, 0.1)]).toEqual([10, 11, 3]);
});

test("the last half hour has what the first of the next day needs", () => {
  const early = (day: number, slot: number): number => (day % 7 === 0 && slot === 0 ? 1000 : 100);
  const classes = profileOf(days(21, early), "weekday", 1);
  const sunday = classes.findIndex(({ name }) => name === "sun");
  const needs = slotNeeds(classes, sunday, { ...of, level: meanOf(days(7, early).map(({ mean }) => mean)) });
  expect(needs.at(-1)).toBe(20);
  expect(needs.at(-2)).toBe(2);
});

const needs = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 48, maxLength: 48 });

test("merged stretches are few, apart, and never below what a slot needs", () => {
  assertProperty(
    fc.property(needs, fc.integer({ min: 0, max: 10 }), fc.integer({ min: 1, max: 6 }), (own, base, max) => {
      const stretches = mergeSlots(own, base, max);
      expect(stretches.length).toBeLessThanOrEqual(max);
      for (const [at, { from, to, floor }] of stretches.entries()) {
        expect(to).toBeGreaterThan(from);
        expect(floor).toBeGreaterThan(base);
        expect(from).toBeGreaterThanOrEqual(stretches[at - 1]?.to ?? 0);
      }
      for (const [slot, need] of own.entries()) {
        const covering = stretches.find(({ from, to }) => slot >= from && slot < to);
        expect(Math.max(base, covering?.floor ?? 0)).toBeGreaterThanOrEqual(need);
      }
    }),
    { numRuns: 300 },
  );
});

test("few stretches stay as they are", () => {
  const own = Array.from({ length: 48 }, (_, slot) => (slot >= 10 && slot < 20 ? 7 : slot >= 30 ? 9 : 1));
  expect(mergeSlots(own, 2, 4)).toEqual([
    { from: 10, to: 20, floor: 7 },
    { from: 30, to: 48, floor: 9 },
  ]);
});

test("entries are what the API takes, and at each slot impose what it needs", () => {
  const shape = fc.record({ needs, weekend: needs });
  assertProperty(
    fc.property(shape, ({ needs: own, weekend }) => {
      const classes = [
        { name: "mon-fri", weekdays: [1, 2, 3, 4, 5], ratios: own },
        { name: "sat-sun", weekdays: [6, 0], ratios: weekend },
      ];
      const zoned = { ...of, level: 1, perPodTarget: 1, timeZone: "UTC" };
      const entries = floorSchedules(classes, zoned);
      expect(entries.length).toBeLessThanOrEqual(8);
      const read = readSchedules(entries, {
        zone: zoneOffset,
        bounds: { minReplicas: 2, maxReplicas: 100 },
      });
      expect(read.problems).toEqual([]);
      for (let day = 0; day < 7; day += 3) {
        const ratios = day < 5 ? own : weekend;
        for (const [slot, need] of ratios.entries()) {
          const atMs = mondayMs + day * dayMs + slot * 1_800_000 + (slot === 0 ? 600_000 : 0);
          const floor = scheduleState(read.schedules, atMs).floor ?? 2;
          expect(floor).toBeGreaterThanOrEqual(Math.min(need, 100));
        }
      }
    }),
    { numRuns: 5 },
  );
});
