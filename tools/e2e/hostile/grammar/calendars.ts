import type { Arbitrary } from "fast-check";
import * as fc from "fast-check";
import { repeated } from "./words.ts";

/** What the schema lets into one calendar. */
const maxCharacters = 65_536;

const frequency = fc.constantFrom("SECONDLY", "MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY");
const year = fc.constantFrom("0001", "1601", "1970", "2020", "2026", "9999");
const zone = fc.constantFrom("", ";TZID=Here", ";TZID=Europe/Berlin", ";VALUE=DATE");

const rulePart = fc.oneof(
  fc.integer({ min: 0, max: 2_147_483_647 }).map((n) => `INTERVAL=${n}`),
  fc.constantFrom(1, 1000, 2_147_483_647).map((n) => `COUNT=${n}`),
  year.map((text) => `UNTIL=${text}1231T000000Z`),
  fc.constantFrom(
    "BYDAY=MO,TU,WE,TH,FR,SA,SU",
    "BYDAY=-5MO",
    "BYMONTH=2;BYMONTHDAY=30",
    "BYMONTHDAY=31",
    "BYSETPOS=-366",
    "BYWEEKNO=53;BYDAY=MO",
    "BYYEARDAY=366",
    "BYHOUR=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23;BYMINUTE=0,15,30,45",
    "BYSECOND=0,1,2,3,4,5,6,7,8,9,10",
    "WKST=XX",
  ),
);

const rule = fc
  .tuple(frequency, fc.array(rulePart, { maxLength: 3 }))
  .map(([freq, parts]) => `RRULE:${[`FREQ=${freq}`, ...parts].join(";")}\r\n`);

const duration = fc.constantFrom(
  "",
  "DURATION:PT1H\r\n",
  "DURATION:P99999999W\r\n",
  "DURATION:P10000D\r\n",
  "DURATION:-PT1H\r\n",
  "DURATION:PT0S\r\n",
  "DTEND:99991231T235959Z\r\n",
  "DTEND:00010101T000000Z\r\n",
);

const start = fc
  .tuple(zone, year, fc.constantFrom("0101", "0229", "1231"))
  .map(
    ([parameter, y, day]) =>
      `DTSTART${parameter}:${y}${day}${parameter === ";VALUE=DATE" ? "" : "T000000"}\r\n`,
  );

const more = fc.oneof(
  fc.constant(""),
  repeated(fc.constant("EXDATE:2026{i:4}T000000Z\r\n"), 1500),
  repeated(fc.constant("RDATE:2{i:3}0101T000000Z\r\n"), 900),
  repeated(fc.constant("RRULE:FREQ=DAILY\r\n"), 1000),
  fc.record({
    $text: fc.tuple(fc.constant("SUMMARY:"), repeated(fc.constant("x"), 60_000), fc.constant("\r\n")),
  }),
);

const event: Arbitrary<unknown> = fc
  .tuple(start, duration, rule, more)
  .map(([first, length, recurs, rest]) => ({
    $text: ["BEGIN:VEVENT\r\nUID:{i}\r\n", first, length, recurs, rest, "END:VEVENT\r\n"],
  }));

const offset = fc.constantFrom("+0100", "+0200", "-2359", "+9999");
const observance = fc
  .tuple(fc.constantFrom("STANDARD", "DAYLIGHT"), year, offset, offset, rule)
  .map(
    ([kind, y, from, to, recurs]) =>
      `BEGIN:${kind}\r\nDTSTART:${y}0101T000000\r\nTZOFFSETFROM:${from}\r\nTZOFFSETTO:${to}\r\n${recurs}END:${kind}\r\n`,
  );
const timeZone = fc
  .array(observance, { maxLength: 2 })
  .map((all) => `BEGIN:VTIMEZONE\r\nTZID:Here\r\n${all.join("")}END:VTIMEZONE\r\n`);

const overrides = repeated(
  fc.constant(
    "BEGIN:VEVENT\r\nUID:0\r\nRECURRENCE-ID:2{i:3}0101T000000Z\r\nDTSTART:2{i:3}0101T010000Z\r\nEND:VEVENT\r\n",
  ),
  550,
);

/** iCalendar texts of which each part is allowed, and some of which are cut off. */
export const calendar: Arbitrary<unknown> = fc
  .tuple(
    fc.option(timeZone, { nil: "" }),
    fc.oneof(
      { weight: 4, arbitrary: fc.array(event, { minLength: 1, maxLength: 2 }) },
      { weight: 1, arbitrary: repeated(event, 20).map((text) => [text]) },
      { weight: 1, arbitrary: fc.tuple(event, overrides) },
      {
        weight: 1,
        arbitrary: fc.constant([
          { $repeat: "BEGIN:VEVENT\r\n", times: 2000 },
          { $repeat: "END:VEVENT\r\n", times: 2000 },
        ]),
      },
    ),
    fc.constantFrom("END:VCALENDAR\r\n", "END:VCALENDAR\r\n", "END:VCALENDAR\r\n", ""),
  )
  .map(([zones, events, end]) => ({
    $text: ["BEGIN:VCALENDAR\r\nVERSION:2.0\r\n", zones, ...events, end],
    atMost: maxCharacters,
  }));
