// The state by the clock, against a reading minute by minute.
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type ScheduleSpec, scheduleState, transitionsWithin } from "../src/decide/schedules/index.ts";
import { formatInstant, type ScheduleState } from "../src/index.ts";
import { places, schedulesOf, settingAt } from "./schedules-draws.ts";
import { type Clock, clockOf, expectedChanges, expectedState, timelineOf } from "./schedules-oracle.ts";

const [minuteMs, dayMs] = [60_000, 86_400_000];
const [daysBefore, days] = [14, 28];

const clocks = new Map<string, Clock>();

function clockAround(timeZone: string, day: string): Clock {
  const key = `${timeZone} ${day}`;
  const fromMs = Date.parse(day) - daysBefore * dayMs;
  const clock = clocks.get(key) ?? clockOf(timeZone, fromMs, days * 1440);
  clocks.set(key, clock);
  return clock;
}

/** A state without what lies beyond the clock. */
function within(state: ScheduleState, [knownMs, endMs]: readonly [number, number]): object {
  const { atMs: _, active, nextMs = Infinity, isSearchEnd, ...rest } = state;
  return {
    ...rest,
    active: active.map(({ sinceMs = -Infinity, untilMs = Infinity, ...entry }) => ({
      ...entry,
      ...(sinceMs > knownMs ? { sinceMs } : {}),
      ...(untilMs < endMs ? { untilMs } : {}),
    })),
    nextMs: nextMs < endMs ? nextMs : undefined,
    // No search ends without a result within days.
    ...(isSearchEnd === true && nextMs < endMs ? { isSearchEnd } : {}),
  };
}

/** How many states were compared: those around each change in the days around one, and some more. */
function compare(
  entries: Parameters<typeof schedulesOf>[0],
  day: string,
  how: { readonly afterMs: number; readonly lengthMs: number; readonly more: readonly number[] },
): number {
  const { specs, schedules } = schedulesOf(entries);
  const [spec] = specs;
  if (spec === undefined) return 0;
  const clock = clockAround(spec.timeZone, day);
  const timelines = specs.map((one) => timelineOf(one, clock));
  const knownMs = clock.fromMs + Math.max(...timelines.map(({ knownFrom }) => knownFrom)) * minuteMs;
  const endMs = clock.fromMs + days * dayMs;
  const fromMs = Math.max(Date.parse(day) + how.afterMs, knownMs);
  const toMs = fromMs + how.lengthMs;
  if (toMs > endMs) return 0;
  const changes = expectedChanges(timelines, clock, [fromMs, toMs]);
  const found = transitionsWithin(schedules, { fromMs, toMs, count: 1e5 });
  expect(found.transitions.map(({ atMs, begins, ends, steps }) => ({ atMs, begins, ends, steps }))).toEqual(
    changes,
  );
  expect(found.reachedMs).toBe(toMs);
  const edges = changes.slice(0, 10).flatMap(({ atMs }) => [atMs - 1, atMs]);
  const instants = [...edges, ...how.more.map((ms) => fromMs + ms)].filter(
    (ms) => ms >= fromMs && ms <= toMs,
  );
  for (const atMs of instants) {
    const actual = within(scheduleState(schedules, atMs), [knownMs, endMs]);
    const expected = within({ atMs, ...expectedState(timelines, clock, atMs) }, [knownMs, endMs]);
    expect([formatInstant(atMs), actual]).toEqual([formatInstant(atMs), expected]);
  }
  return instants.length;
}

/** A search may end among the starts of the day that Apia skipped, which all come at once. */
const usualPlaces = places.filter(([timeZone]) => timeZone !== "Pacific/Apia");
const weekend = { exclusions: [{ weekdays: ["sat", "sun"] }] };
const ramp = { ramp: { over: "10m", steps: 4 } };
const event = (from: string, to: string) => ({
  exclusions: [{ calendar: `${Date.parse(from)} ${Date.parse(to)}` }],
});

test.each<[string, Omit<Partial<ScheduleSpec>, "name">]>([
  ["each hour leads to the next", { start: "0 * * * *", duration: "1h" }],
  ["the same on weekdays, until midnight", { start: "0 * * * MON-FRI", duration: "1h" }],
  ["the same until the weekend is excluded", { start: "0 * * * *", duration: "1h", ...weekend }],
  ["each hour does not lead to the next", { start: "0 * * * *", duration: "45m", ...weekend }],
  ["two starts of an hour, the second leads to the first", { start: "5,50 * * * *", duration: "15m" }],
  ["two starts of an hour, none leads to the other", { start: "0,30 * * * *", duration: "10m", ...ramp }],
  ["half hours by day, a step after each start", { start: "*/30 8-17 * * *", duration: "30m", ...ramp }],
  ["every second hour, each until the next", { start: "30 1,3,5,7 * * *", duration: "2h" }],
  ["a day and a bit", { start: "0 8,20 * * *", duration: "25h", exclusions: [{ weekdays: ["wed"] }] }],
  ["two skipped minutes open nothing", { start: "10 2 * * *", end: "50 2 * * *" }],
  ["each end is a start but one", { start: "0 0-22 * * *", end: "0 * * * *" }],
  [
    "by night, but for an event in it",
    { start: "0 22 * * *", end: "0 6 * * *", ...event("2026-03-07T23:00Z", "2026-03-08T01:30Z") },
  ],
  [
    "an event from the start to the end",
    { start: "0 * * * *", duration: "1h", ...event("2026-03-08T08:00Z", "2026-03-08T12:00Z") },
  ],
])("%s", (_, spec) => {
  const whole = { minReplicas: 12, timeZone: "", start: "", ...spec };
  let compared = 0;
  for (const [timeZone, day] of usualPlaces)
    compared += compare([{ ...whole, timeZone }], day, {
      afterMs: -2 * dayMs,
      lengthMs: 4 * dayMs,
      more: [],
    });
  expect(compared).toBeGreaterThan(10);
});

test("the state and its changes are those of going through every minute", () => {
  let compared = 0;
  assertProperty(
    fc.property(
      settingAt(usualPlaces),
      fc.array(fc.nat(4 * dayMs), { maxLength: 5 }),
      ({ day, entries, offset }, more) => {
        compared += compare(entries, day, { afterMs: offset * minuteMs - dayMs, lengthMs: 4 * dayMs, more });
      },
    ),
    { numRuns: 40 },
  );
  expect(compared).toBeGreaterThan(100);
});
