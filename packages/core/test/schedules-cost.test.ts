import { expect, test } from "vitest";
import {
  countedState,
  readSchedules,
  type Schedule,
  type ScheduleCalendar,
  type ScheduleSpec,
  scheduleState,
  transitionsWithin,
  upcomingTransitions,
} from "../src/decide/schedules/index.ts";
import { measuredState } from "../src/decide/schedules/state.ts";
import { createWork } from "../src/decide/schedules/work.ts";
import { formatInstant } from "../src/index.ts";
import { zone } from "./zones.ts";

/** What one entry's state may cost: the most that was measured is an eighth of a millisecond. */
const maxSteps = 2500;

const atMs = Date.parse("2026-06-17T12:00:30Z");
const [hourMs, dayMs] = [3_600_000, 86_400_000];

function spans(everyMs: number, lengthMs: number, fromMs: number): ScheduleCalendar {
  const list = Array.from({ length: 10_000 }, (_, n) => fromMs + n * everyMs);
  return { days: [], spans: list.map((ms) => ({ fromMs: ms, toMs: ms + lengthMs })) };
}

const calendars: Readonly<Record<string, ScheduleCalendar>> = {
  "a span at each hour": spans(hourMs, 600_000, Date.parse("2025-12-31T23:59:00Z")),
  "a span at each minute": spans(60_000, 5000, Date.parse("2026-06-14T23:59:58Z")),
  "every other second": spans(2000, 1000, Date.parse("2026-06-17T12:00:00Z")),
  Sundays: spans(7 * dayMs, dayMs, Date.parse("2000-01-02T00:00:00Z")),
};
const weekdays = ["mon", "tue", "wed", "thu", "fri", "sat"];
const years = Array.from({ length: 100 }, (_, n) => ({ from: `${2026 + n}-01-02`, to: `${2026 + n}-12-31` }));
const calendar = (calendarName: string) => ({
  exclusions: [{ calendarName: calendarName }],
});
const newYork = { timeZone: "America/New_York" };
const leapDays = [2028, 2032, 2036, 2040, 2044, 2048].map((year) => ({ date: `${year}-02-29` }));

/** The most expensive entries that the schema lets through. */
const worst: readonly (readonly [string, Partial<ScheduleSpec>])[] = [
  ["every start is excluded", { start: "17 0 * * 3", duration: "1h", exclusions: [{ weekdays: ["wed"] }] }],
  ["the same, with an end", { start: "17 0 * * 3", end: "18 0 * * 3", exclusions: [{ weekdays: ["wed"] }] }],
  [
    "every minute of an excluded day",
    { start: "* * * * 3", duration: "1s", exclusions: [{ weekdays: ["wed"] }] },
  ],
  ["of six excluded days", { start: "* * * * 1-6", duration: "1s", exclusions: [{ weekdays }] }],
  [
    "six days and a calendar of the seventh",
    { start: "* * * * *", duration: "10m", exclusions: [{ weekdays }, { calendarName: "Sundays" }] },
  ],
  ["a hundred years but one day each", { start: "0 12 5 6 *", duration: "1h", exclusions: years }],
  [
    "to the end of the calendar",
    { start: "0 0 1 1 *", duration: "24h", exclusions: [{ from: "0001-01-01", to: "9990-12-31" }] },
  ],
  ["10,000 spans at the hours", { start: "0 * * * *", duration: "1m", ...calendar("a span at each hour") }],
  [
    "10,000 spans at the minutes",
    { start: "* * * * *", duration: "1s", ...calendar("a span at each minute") },
  ],
  ["10,000 spans of a second", { start: "* * * * *", duration: "10m", ...calendar("every other second") }],
  ["on and on by days", { ...newYork, start: "0 0 * * *", duration: "24h" }],
  ["on and on by minutes", { ...newYork, start: "* * * * *", duration: "1m" }],
  ["on and on by an hour and a minute", { ...newYork, start: "* * * * *", duration: "61m" }],
  ["on and on by a year", { ...newYork, start: "* * * * *", duration: "8300h" }],
  ["on and on over the weekends", { ...newYork, start: "0 8 * * MON-FRI", duration: "72h" }],
  ["on and on by thirds", { ...newYork, start: "0 8 */3 * *", duration: "73h" }],
  ["on and on by half hours", { timeZone: "Australia/Lord_Howe", start: "*/20 * * * *", duration: "25h" }],
  [
    "on and on but for Ramadan",
    { timeZone: "Africa/Casablanca", start: "15,45 0-23/2 * * *", duration: "90m" },
  ],
  ["each end is a start", { ...newYork, start: "* * * * *", end: "*/1 * * * *" }],
  ["each end but those at night", { ...newYork, start: "* 0-22 * * *", end: "*/1 * * * *" }],
  ["each end but those of a month", { ...newYork, start: "* * * 1-11 *", end: "*/1 * * * *" }],
  ["leap days", { start: "0 0 29 2 *", duration: "24h" }],
  ["leap days that are excluded", { start: "0 0 29 2 *", duration: "24h", exclusions: leapDays }],
  ["leap days that are Sundays", { start: "0 0 29 2 */7", duration: "24h" }],
  [
    "a hundred steps in a second",
    { start: "* * * * *", duration: "1s", minReplicas: 50, ramp: { over: "1s", steps: 100 } },
  ],
  ["a skipped day of every minute", { timeZone: "Pacific/Apia", start: "* * 30 12 *", end: "*/1 * 30 12 *" }],
];

function read(spec: Partial<ScheduleSpec>, zoneOf = zone): readonly Schedule[] {
  const whole = { name: "it", timeZone: "UTC", start: "", minReplicas: 5, ...spec };
  const { schedules, problems } = readSchedules([whole], {
    zone: zoneOf,
    bounds: { minReplicas: 2, maxReplicas: 50 },
    calendar: ({ calendarName = "" }) => calendars[calendarName] ?? "is none",
  });
  expect(problems).toEqual([]);
  return schedules;
}

test.each(worst)("%s: the search is bounded, and gets on", (_, spec) => {
  const schedules = read(spec);
  // Over three years, at odd times, and around the day that Apia skipped.
  const days = Array.from({ length: 100 }, (_, n) => atMs + n * 11.37 * dayMs);
  const skipped = Array.from({ length: 20 }, (_, n) => Date.parse("2011-12-29T00:00:00Z") + n * 3 * hourMs);
  for (const ms of [...days, ...skipped]) {
    const work = createWork();
    const { nextMs = Infinity } = measuredState(schedules, ms, () => work);
    expect(work.spent).toBeLessThan(maxSteps);
    expect(nextMs).toBeGreaterThan(Math.floor(ms));
  }
});

test.each(worst)("%s: zones are read no more than once for two days", (_, spec) => {
  let calls = 0;
  const [schedule] = read(spec, (timeZone) => {
    const offset = zone(timeZone);
    return (
      offset &&
      ((ms) => {
        calls++;
        return offset(ms);
      })
    );
  });
  const schedules = schedule === undefined ? [] : [schedule];
  scheduleState(schedules, atMs);
  expect(calls).toBeLessThan(1000);
});

test("a search that ends without a change says so, and the change is found by those after it", () => {
  const schedules = read({
    start: "0 12 * * *",
    duration: "1h",
    exclusions: [
      { weekdays: ["SUN"] },
      ...years.slice(0, 99).map(({ from, to }) => ({ from: from.replace("01-02", "01-01"), to })),
    ],
  });
  const { nextMs, isSearchEnd } = scheduleState(schedules, atMs);
  expect([formatInstant(nextMs ?? 0), isSearchEnd]).toEqual(["2125-01-01T12:00:00Z", undefined]);

  const never = read(worst[0]?.[1] ?? {});
  const state = scheduleState(never, atMs);
  expect([state.active, state.isSearchEnd]).toEqual([[], true]);
  expect(state.nextMs).toBeGreaterThan(atMs + 30 * dayMs);
  expect(upcomingTransitions(never, atMs, 1)).toEqual([]);
  const toMs = atMs + 366 * dayMs;
  expect(transitionsWithin(never, { fromMs: atMs, toMs, count: 5 })).toEqual({
    transitions: [],
    reachedMs: toMs,
  });
});

test("it is known how far changes were searched where there are more than requested, or than can be searched", () => {
  const daily = read({ start: "0 12 * * *", duration: "1h" });
  const toMs = atMs + 30 * dayMs;
  const { transitions, reachedMs } = transitionsWithin(daily, { fromMs: atMs, toMs, count: 3 });
  expect(transitions.map(({ atMs }) => formatInstant(atMs))).toEqual([
    "2026-06-17T13:00:00Z",
    "2026-06-18T12:00:00Z",
    "2026-06-18T13:00:00Z",
  ]);
  expect(formatInstant(reachedMs)).toBe("2026-06-19T12:00:00Z");
});

test("a summer of days is one window, with both of its ends", () => {
  const summer = read({ ...newYork, start: "0 0 * 6-9 *", duration: "24h" });
  const [active] = scheduleState(summer, atMs).active;
  const shown = [active?.sinceMs, active?.untilMs].map((ms) => formatInstant(ms ?? 0));
  expect(shown).toEqual(["2026-06-01T04:00:00Z", "2026-10-01T04:00:00Z"]);
  const monthly = read({ start: "0 0 27 * *", end: "0 0 1 * *" });
  const [last] = scheduleState(monthly, Date.parse("2026-11-27T00:17:00Z")).active;
  expect(formatInstant(last?.sinceMs ?? 0)).toBe("2026-11-27T00:00:00Z");
  const byEnds = read({ ...newYork, start: "*/5 * * 2-11 *", end: "0-59/5 * * * *" });
  const [other] = scheduleState(byEnds, atMs).active;
  const both = [other?.sinceMs, other?.untilMs].map((ms) => formatInstant(ms ?? 0));
  expect(both).toEqual(["2026-02-01T05:00:00Z", "2026-12-01T05:00:00Z"]);
});

test("what begins by the hour on a day whose clocks change has its beginning at each hour of that day", () => {
  for (const day of ["2026-03-29", "2026-10-25"]) {
    const [, , date] = day.split("-");
    const hourly = read({ timeZone: "Europe/London", start: `0 * ${date} * *`, duration: "8h30m" });
    const fromMs = scheduleState(hourly, Date.parse(`${day}T02:00:00Z`)).active[0]?.sinceMs;
    expect(formatInstant((fromMs ?? 0) + hourMs).slice(0, 10)).toBe(day);
    for (let hour = 3; hour < 24; hour++) {
      expect(scheduleState(hourly, Date.parse(day) + hour * hourMs).active[0]?.sinceMs).toBe(fromMs);
    }
  }
});

test("what began after an exclusion began then, and not when the exclusion ended", () => {
  const late = read({
    start: "0 1 1 7 *",
    end: "30 0 15 2 *",
    exclusions: [{ from: "2026-06-01", to: "2026-06-20" }, { date: "2026-12-25" }],
  });
  const since = ["2026-12-22T14:00:00Z", "2026-12-28T14:00:00Z"].map((at) =>
    formatInstant(scheduleState(late, Date.parse(at)).active[0]?.sinceMs ?? 0),
  );
  expect(since).toEqual(["2026-07-01T01:00:00Z", "2026-12-26T00:00:00Z"]);
});

test("what comes once a year has its beginning, and its ramp begins there", () => {
  for (const year of [2026, 2027, 2028]) {
    const sale = read({
      start: "0 0 27 11 *",
      end: "0 0 1 12 *",
      minReplicas: 42,
      ramp: { over: "2h", steps: 8 },
    });
    const { active } = scheduleState(sale, Date.parse(`${year}-11-27T00:00:00Z`));
    const entry = active[0];
    expect([entry?.floor, formatInstant(entry?.sinceMs ?? 0), formatInstant(entry?.untilMs ?? 0)]).toEqual([
      7,
      `${year}-11-27T00:00:00Z`,
      `${year}-12-01T00:00:00Z`,
    ]);
  }
});

test.each<[string, Partial<ScheduleSpec>]>([
  ["hours that lead to one another", { start: "0 * * * *", duration: "1h" }],
  ["the same in a zone whose clocks change", { ...newYork, start: "0 * * * *", duration: "2h" }],
  ["starts within hours", { start: "*/20 * * * *", duration: "20m" }],
  ["days that lead to one another", { start: "0 0 * * *", duration: "25h" }],
  ["two starts a day", { start: "0 8,20 * * *", duration: "25h" }],
  ["ends at which it starts again", { start: "0 */6 * * *", end: "0 */12 * * *" }],
])("%s: the beginning and the end of nine months are found, wherever the clock is", (_, spec) => {
  const schedules = read({
    ...spec,
    exclusions: [{ date: "2026-01-01" }, { from: "2026-10-01", to: "2027-01-31" }],
  });
  const [since, until] = spec.timeZone === undefined ? ["00", "00"] : ["05", "04"];
  for (const now of ["2026-01-03T12:00:00Z", "2026-06-17T12:34:56Z", "2026-09-30T12:00:00Z"]) {
    const { active } = scheduleState(schedules, Date.parse(now));
    expect(active.map(({ sinceMs = 0, untilMs = 0 }) => [sinceMs, untilMs].map(formatInstant))).toEqual([
      [`2026-01-02T${since}:00:00Z`, `2026-10-01T${until}:00:00Z`],
    ]);
  }
});

test("what a state costs grows with its entries and with the steps of their ramps", () => {
  const entry = { start: "0 8 * * *", end: "0 18 * * *" };
  const one = read(entry);
  const steep = read({ ...entry, ramp: { over: "1h", steps: 60 } });
  const { steps, state } = countedState(one, atMs);
  expect(state).toEqual(scheduleState(one, atMs));
  const work = createWork();
  measuredState(one, atMs, () => work);
  expect(steps).toBe(work.spent + 20);
  expect(countedState([...one, ...one, ...one], atMs).steps).toBe(3 * steps);
  expect(countedState(steep, atMs).steps).toBe(steps + 60);
});

test("a search that ends among starts that open nothing says so", () => {
  const minutes = { ...newYork, start: "0-58 2 8 3 *", end: "1-59 2 8 3 *" };
  const { nextMs = 0, isSearchEnd } = scheduleState(read(minutes), Date.parse("2026-03-07T12:00:00Z"));
  expect([formatInstant(nextMs), isSearchEnd]).toEqual(["2026-03-08T07:00:00Z", true]);
});

test("what starts in more than a hundred years is not searched", () => {
  const excluded = [{ from: "2026-01-01", to: "2199-12-31" }];
  const schedules = read({ start: "0 8 * * *", duration: "1h", exclusions: excluded });
  const { nextMs = 0, isSearchEnd } = scheduleState(schedules, Date.parse("2026-03-01T00:00:00Z"));
  expect([new Date(nextMs).getUTCFullYear(), isSearchEnd]).toEqual([2126, true]);
});
