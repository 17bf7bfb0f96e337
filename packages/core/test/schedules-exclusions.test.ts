import { expect, test } from "vitest";
import { readSchedules } from "../src/decide/schedules/index.ts";
import { changes, office, read } from "./schedule-rig.ts";
import { zone } from "./zones.ts";

test("on excluded days and in excluded spans an entry imposes nothing", () => {
  const daily = { timeZone: "Europe/Berlin", start: "0 8 * * *", end: "0 18 * * *" };
  const days = read({
    ...daily,
    exclusions: [
      { date: "2026-12-24" },
      { from: "2026-12-25", to: "2026-12-27" },
      { weekdays: ["Mon", "TUESDAY"] },
    ],
  });
  expect(changes(days, "2026-12-23T12:00:00Z", 3)).toEqual([
    "- 2026-12-23T17:00:00Z",
    "+ 2026-12-30T07:00:00Z",
    "- 2026-12-30T17:00:00Z",
  ]);
  const night = read({
    ...daily,
    start: "0 22 * * *",
    end: "0 6 * * *",
    exclusions: [{ date: "2026-12-25" }],
  });
  expect(changes(night, "2026-12-24T12:00:00Z", 4)).toEqual([
    "+ 2026-12-24T21:00:00Z",
    "- 2026-12-24T23:00:00Z",
    "+ 2026-12-25T23:00:00Z",
    "- 2026-12-26T05:00:00Z",
  ]);
});

test("a calendar's days and spans are excluded", () => {
  const calendar = {
    days: [{ from: "2026-06-18", to: "2026-06-18" }],
    spans: [{ fromMs: Date.parse("2026-06-19T08:00:00Z"), toMs: Date.parse("2026-06-19T10:00:00Z") }],
  };
  const { schedules, problems } = readSchedules(
    [{ ...office, exclusions: [{ calendar: "BEGIN:VCALENDAR" }, { calendarName: "works" }] }],
    {
      zone,
      bounds: { minReplicas: 2, maxReplicas: 50 },
      calendar: ({ calendarName }) => (calendarName === undefined ? calendar : { days: [], spans: [] }),
    },
  );
  expect(problems).toEqual([]);
  expect(changes(schedules, "2026-06-17T12:00:00Z", 5)).toEqual([
    "- 2026-06-17T16:00:00Z",
    "+ 2026-06-19T06:00:00Z",
    "- 2026-06-19T08:00:00Z",
    "+ 2026-06-19T10:00:00Z",
    "- 2026-06-19T16:00:00Z",
  ]);
});

test("a calendar that is refused excludes nothing, is a problem, and leaves its entry in", () => {
  const day = { from: "2026-06-18", to: "2026-06-18" };
  const { schedules, problems } = readSchedules(
    [{ ...office, exclusions: [{ calendarName: "hostile" }, { calendarName: "good" }] }],
    {
      zone,
      bounds: { minReplicas: 2, maxReplicas: 50 },
      calendar: ({ calendarName }) =>
        calendarName === "good"
          ? { days: [day], spans: [] }
          : { days: [], spans: [], refused: "is too long" },
    },
  );
  expect(schedules[0]?.exclusions.days).toHaveLength(2);
  expect(problems).toEqual([
    {
      index: 0,
      name: "office",
      path: "[0].exclusions[0].calendarName",
      message: "is too long",
      remedy: "it excludes nothing; remove what you don't need",
    },
  ]);
});

test("the calendars of all entries of an object exclude 10,000 days and spans at most, in 16 bytes each", () => {
  const spans = Array.from({ length: 4500 }, (_, n) => ({ fromMs: n * 10_000, toMs: n * 10_000 + 1 }));
  const exclusions = [{ calendarName: "long" }];
  const { schedules, problems } = readSchedules(
    ["a", "b", "c"].map((name) => ({ ...office, name, exclusions })),
    { zone, bounds: { minReplicas: 2, maxReplicas: 50 }, calendar: () => ({ days: [], spans }) },
  );
  expect(schedules.map(({ exclusions: { spans } }) => spans.byteLength)).toEqual([72_000, 72_000, 0]);
  expect(problems.map(({ path, message }) => `${path} ${message}`)).toEqual([
    "[2].exclusions[0].calendarName raises the object's calendars to more than 10000 days and spans",
  ]);
});
