import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assertProperty } from "@plimsoll/properties";
import { testFolder } from "@plimsoll/testbed/world";
import * as fc from "fast-check";
import ICAL from "ical.js";
import { expect, onTestFinished, test, vi } from "vitest";
import { calendarReader } from "../../src/calendars/calendar.ts";
import { createCalendarFiles } from "../../src/calendars/calendar-files.ts";
import { followed, refused } from "../../src/testing.ts";
import { createZones } from "../../src/zones.ts";

const zone = createZones();
const read = calendarReader({
  fromMs: Date.parse("2026-01-01T00:00:00Z"),
  toMs: Date.parse("2029-01-01T00:00:00Z"),
  zone,
  named: (name) => (name === "works" ? calendar("DTSTART;VALUE=DATE:20260501") : undefined),
});

const event = (...lines: readonly string[]) =>
  ["BEGIN:VEVENT", "UID:1@example.org", "SUMMARY:Day off", ...lines, "END:VEVENT"].join("\r\n");
const calendarOf = (...parts: readonly string[]) =>
  ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Example//EN", ...parts, "END:VCALENDAR", ""].join("\r\n");
const calendar = (...lines: readonly string[]) => calendarOf(event(...lines));
const days = (text: string, timeZone = "Europe/Berlin") => {
  const result = read({ calendar: text }, timeZone);
  return typeof result === "string"
    ? result
    : result.days.map(({ from, to }) => (from === to ? from : `${from} ${to}`));
};
const spans = (text: string, timeZone = "Europe/Berlin") => {
  const result = read({ calendar: text }, timeZone);
  if (typeof result === "string") return result;
  return result.spans.map(
    ({ fromMs, toMs }) => `${new Date(fromMs).toISOString()} ${new Date(toMs).toISOString()}`,
  );
};

test("whole days: one, several, without an end, with a duration", () => {
  expect(days(calendar("DTSTART;VALUE=DATE:20261225", "DTEND;VALUE=DATE:20261226"))).toEqual(["2026-12-25"]);
  expect(days(calendar("DTSTART;VALUE=DATE:20261224", "DTEND;VALUE=DATE:20261227"))).toEqual([
    "2026-12-24 2026-12-26",
  ]);
  expect(days(calendar("DTSTART;VALUE=DATE:20261225"))).toEqual(["2026-12-25"]);
  expect(days(calendar("DTSTART;VALUE=DATE:20261225", "DURATION:P2D"))).toEqual(["2026-12-25 2026-12-26"]);
  expect(days(calendar("DTSTART;VALUE=DATE:20261225", "STATUS:CANCELLED"))).toEqual([]);
  expect(days(calendar("DTSTART;VALUE=DATE:20261225", "TRANSP:TRANSPARENT"))).toEqual(["2026-12-25"]);
});

test.each([
  ["FREQ=YEARLY", "20201225", ["2026-12-25", "2027-12-25", "2028-12-25"]],
  ["FREQ=YEARLY;BYMONTH=11;BYDAY=4TH", "20201126", ["2026-11-26", "2027-11-25", "2028-11-23"]],
  ["FREQ=YEARLY;BYMONTH=5;BYDAY=-1MO", "20200525", ["2026-05-25", "2027-05-31", "2028-05-29"]],
  ["FREQ=YEARLY;INTERVAL=2;BYMONTH=1;BYMONTHDAY=6", "20260106", ["2026-01-06", "2028-01-06"]],
  ["FREQ=YEARLY;COUNT=1", "20261225", ["2026-12-25"]],
  ["FREQ=YEARLY;UNTIL=20261231", "20251225", ["2026-12-25"]],
  ["FREQ=WEEKLY;BYDAY=FR;UNTIL=20260116", "20260102", ["2026-01-02", "2026-01-09", "2026-01-16"]],
])("%s from %s recurs", (rule, start, expected) => {
  expect(days(calendar(`DTSTART;VALUE=DATE:${start}`, `RRULE:${rule}`)).slice(0, 3)).toEqual(expected);
});

test("a date that is left out, one that is added, and one that was moved", () => {
  const yearly = ["DTSTART;VALUE=DATE:20251225", "RRULE:FREQ=YEARLY;COUNT=4"];
  expect(days(calendar(...yearly, "EXDATE;VALUE=DATE:20261225"))).toEqual(["2027-12-25", "2028-12-25"]);
  expect(days(calendar(...yearly, "RDATE;VALUE=DATE:20260704"))).toEqual([
    "2026-07-04",
    "2026-12-25",
    "2027-12-25",
    "2028-12-25",
  ]);
  const moved = event("RECURRENCE-ID;VALUE=DATE:20261225", "DTSTART;VALUE=DATE:20261228");
  expect(days(calendarOf(event(...yearly), moved))).toEqual(["2026-12-28", "2027-12-25", "2028-12-25"]);
});

const vtimezone = [
  "BEGIN:VTIMEZONE",
  "TZID:Works Time",
  "BEGIN:STANDARD",
  "DTSTART:19700101T000000",
  "TZOFFSETFROM:+0300",
  "TZOFFSETTO:+0300",
  "END:STANDARD",
  "END:VTIMEZONE",
].join("\r\n");

test("times: in UTC, in a zone, in one that the calendar defines, and in that of the entry", () => {
  const noon = "2026-12-24T12:00:00.000Z 2026-12-24T16:00:00.000Z";
  expect(spans(calendar("DTSTART:20261224T120000Z", "DTEND:20261224T160000Z"))).toEqual([noon]);
  expect(
    spans(
      calendar(
        "DTSTART;TZID=America/New_York:20261224T070000",
        "DTEND;TZID=America/New_York:20261224T110000",
      ),
    ),
  ).toEqual([noon]);
  expect(spans(calendar("DTSTART:20261224T130000", "DURATION:PT4H"))).toEqual([noon]);
  const own = event("DTSTART;TZID=Works Time:20261224T150000", "DTEND;TZID=Works Time:20261224T190000");
  expect(spans(calendarOf(vtimezone, own))).toEqual([noon]);
  expect(spans(calendar("DTSTART;TZID=Nowhere:20261224T070000", "DURATION:PT1H"))).toBe(
    'has a time in "Nowhere", which it does not define',
  );
});

test("a calendar that the process was given by name", () => {
  expect(read({ calendarName: "works" }, "UTC")).toEqual({
    days: [{ from: "2026-05-01", to: "2026-05-01" }],
    spans: [],
  });
  expect(read({ calendarName: "other" }, "UTC")).toBe("is not a calendar that this process can read");
});

test.each([
  ["", "has no events"],
  ["hello", "is not iCalendar"],
  ["BEGIN:VCALENDAR\r\nEND:VEVENT\r\n", "has no events"],
  [calendarOf(), "has no events"],
  ["BEGIN:VCARD\r\nVERSION:4.0\r\nFN:A\r\nEND:VCARD\r\n", "has no events"],
  [calendar("SUMMARY:x"), "without DTSTART"],
  [calendar("DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=SECONDLY"), "recurs SECONDLY"],
  [calendar("DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31"), "recurs DAILY by BY"],
  [
    calendar("DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"),
    "on a day that the month does not have",
  ],
  [
    calendar("DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=DAILY;INTERVAL=1000000000"),
    "an interval of 1000000000",
  ],
  [
    calendar("DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=YEARLY;BYMONTH=1;BYDAY=1MO;BYSETPOS=20"),
    "recurs YEARLY by BYSETPOS",
  ],
  [calendar("DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=NEVER"), "is not iCalendar"],
])("what cannot be read says so: %j", (text, expected) => {
  expect(read({ calendar: text }, "UTC")).toEqual(expect.stringContaining(expected));
});

test("a rule that is followed comes to an end soon, whatever it says", () => {
  const day = fc.constantFrom("MO", "TU", "SU");
  const numbered = fc
    .tuple(fc.constantFrom("", "1", "-1", "2", "5", "-5", "53"), day)
    .map((parts) => parts.join(""));
  const list = <T>(item: fc.Arbitrary<T>) => fc.uniqueArray(item, { minLength: 1, maxLength: 3 });
  const rule = fc
    .record(
      {
        FREQ: fc.constantFrom("YEARLY", "MONTHLY", "WEEKLY", "DAILY"),
        INTERVAL: fc.integer({ min: 1, max: 100 }),
        BYDAY: list(numbered),
        BYMONTHDAY: list(fc.integer({ min: -31, max: 31 })),
        BYMONTH: list(fc.integer({ min: 1, max: 12 })),
        COUNT: fc.integer({ min: 1, max: 10 }),
      },
      { requiredKeys: ["FREQ"] },
    )
    .map((parts) =>
      Object.entries(parts)
        .map(([key, value]) => `${key}=${String(value)}`)
        .join(";"),
    );
  const start = fc.constantFrom("19000101", "20200229", "20261231", "20260131");
  const steps = countSteps();
  read({ calendar: calendar("DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=DAILY") }, "UTC");
  expect(steps()).toBeGreaterThan(1000);
  assertProperty(
    fc.property(rule, start, (text, from) => {
      const before = steps();
      read({ calendar: calendar(`DTSTART;VALUE=DATE:${from}`, `RRULE:${text}`) }, "UTC");
      // Every Monday, Tuesday and Sunday since 1900 takes 356,000, up to the limit of occurrences.
      expect(steps() - before).toBeLessThan(400_000);
    }),
    { numRuns: 300 },
  );
});

/** Calls within the library's iterator over a rule. */
function countSteps(): () => number {
  const methods = ICAL.RecurIterator.prototype as unknown as Record<string, () => unknown>;
  const spies = Object.getOwnPropertyNames(methods)
    .filter((name) => /^(?:next|increment|check)/.test(name))
    .map((name) => vi.spyOn(methods, name));
  onTestFinished(() => spies.forEach((spy) => spy.mockRestore()));
  return () => spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
}

test.each(refused)("a calendar with %s is refused before it is expanded", (_, text, why) => {
  const result = read({ calendar: text }, "UTC");
  expect(result).toEqual({ days: [], spans: [], refused: expect.stringContaining(why) });
  expect(JSON.stringify(result).length).toBeLessThan(300);
});

test.each(followed)("a calendar at the limits is followed: %s", (_, text, count) => {
  const result = read({ calendar: text }, "UTC");
  const excluded =
    typeof result === "string"
      ? result
      : result.days.filter(({ to }) => to >= "2026-01-01" && to < "2029-01-03");
  expect(excluded).toHaveLength(count);
});

test("an exception changes the event of its UID only", () => {
  const one = ["DTSTART;VALUE=DATE:20251225", "RRULE:FREQ=YEARLY;COUNT=3"];
  const other = event(...one).replace("1@example.org", "2@example.org");
  const moved = event("RECURRENCE-ID;VALUE=DATE:20261225", "DTSTART;VALUE=DATE:20261228");
  expect(days(calendarOf(event(...one), other, moved))).toEqual(["2026-12-28", "2027-12-25", "2026-12-25"]);
});

test("files of a directory are read by name, again when they have changed, and nothing else is", () => {
  const directory = testFolder();
  let nowMs = 1e12;
  writeFileSync(join(directory, "works.ics"), "one");
  writeFileSync(join(directory, "secret"), "no");
  const files = createCalendarFiles(directory, { nowMs: () => nowMs });
  expect([
    files.named("works"),
    files.named("other"),
    files.named("../works"),
    files.named("secret"),
  ]).toEqual(["one", undefined, undefined, undefined]);
  const before = files.version("works");
  writeFileSync(join(directory, "works.ics"), "another");
  expect(files.named("works")).toBe("one");
  nowMs += 10_000;
  expect(files.version("works")).not.toBe(before);
  expect(files.named("works")).toBe("another");
  rmSync(join(directory, "works.ics"));
  nowMs += 10_000;
  expect(files.named("works")).toBeUndefined();
  expect(createCalendarFiles(undefined, { nowMs: () => nowMs }).named("works")).toBeUndefined();
});
