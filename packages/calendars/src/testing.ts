// Calendars for tests: some that every limit refuses, and some that are close to the limits.
const lines = (...parts: readonly string[]) => `${parts.join("\r\n")}\r\n`;

export function event(uid: number, ...parts: readonly string[]): string {
  return ["BEGIN:VEVENT", `UID:${uid}@example.org`, "SUMMARY:Day off", ...parts, "END:VEVENT"].join("\r\n");
}

export function calendar(...parts: readonly string[]): string {
  return lines("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Example//EN", ...parts, "END:VCALENDAR");
}

function zone(...rules: readonly string[]): string {
  const standard = ["BEGIN:STANDARD", "DTSTART:19700101T000000", "TZOFFSETFROM:+0300", "TZOFFSETTO:+0200"];
  return ["BEGIN:VTIMEZONE", "TZID:Own", ...standard, ...rules, "END:STANDARD", "END:VTIMEZONE"].join("\r\n");
}

const inZone = event(1, "DTSTART;TZID=Own:20261224T150000", "DURATION:PT4H");
const many = <T>(count: number, item: (n: number) => T) => Array.from({ length: count }, (_, n) => item(n));
const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10).replaceAll("-", "");
const daily = ["DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=DAILY"];

/** Calendars that stopped or slowed a process, and their like, with why each is refused. */
export const refused: readonly (readonly [name: string, text: string, why: string])[] = [
  [
    "a day of two million years",
    calendar(event(1, ...daily, "DURATION:P99999999W")),
    "lasts for more than 366 days",
  ],
  [
    "the same, before its start",
    calendar(event(1, ...daily, "DURATION:-P99999999W")),
    "lasts for more than 366 days",
  ],
  [
    "an end in another century",
    calendar(event(1, ...daily, "DTEND;VALUE=DATE:21260101")),
    "lasts for more than 366 days",
  ],
  [
    "a zone that changes each second",
    calendar(zone("RRULE:FREQ=SECONDLY"), inZone),
    "defines a time zone with a rule",
  ],
  [
    "a zone that changes each minute",
    calendar(zone("RRULE:FREQ=MINUTELY"), inZone),
    "defines a time zone with a rule",
  ],
  [
    "a zone that changes each day to the end",
    calendar(
      zone("RRULE:FREQ=DAILY;UNTIL=99991231T000000Z"),
      event(1, "DTSTART;TZID=Own:99991224T150000", "DURATION:PT4H"),
    ),
    "in the year 9999",
  ],
  [
    "a zone that changes each day",
    calendar(zone("RRULE:FREQ=DAILY"), inZone),
    "defines a time zone with a rule",
  ],
  [
    "a zone that changes on many days a year",
    calendar(zone("RRULE:FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR"), inZone),
    "defines a time zone with a rule",
  ],
  [
    "a zone by the second of the year",
    calendar(zone("RRULE:FREQ=YEARLY;BYSECOND=1,2,3"), inZone),
    "defines a time zone with a rule",
  ],
  [
    "a zone with two rules",
    calendar(zone("RRULE:FREQ=YEARLY", "RRULE:FREQ=YEARLY"), inZone),
    "defines a time zone with a rule",
  ],
  [
    "a zone from the year 1",
    calendar(zone("RRULE:FREQ=YEARLY").replace("19700101", "00010101"), inZone),
    "before 1600",
  ],
  [
    "a hundred zones from 1970 on",
    calendar(...many(100, () => zone("RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU")), inZone),
    "too many changes",
  ],
  [
    "each day from the year 1",
    calendar(event(1, "DTSTART;VALUE=DATE:00010101", "RRULE:FREQ=DAILY")),
    "in the year 1;",
  ],
  [
    "an added day in the year 9999",
    calendar(event(1, ...daily, "RDATE;VALUE=DATE:99990101")),
    "in the year 9999",
  ],
  [
    "800 changed occurrences",
    calendar(
      event(1, ...daily),
      ...many(800, (n) => event(1, `RECURRENCE-ID;VALUE=DATE:${day(n)}`, "DTSTART;VALUE=DATE:20260601")),
    ),
    "more than 500 changed occurrences",
  ],
  [
    "900 events of each day",
    calendar(...many(900, (n) => event(n, ...daily))),
    "more than 20000 occurrences",
  ],
  [
    "2,100 days",
    calendar(
      event(1, "DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=DAILY;COUNT=1050"),
      event(2, "DTSTART:20260101T080000", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=1050"),
    ),
    "more than 2000 days and spans",
  ],
  [
    "2,001 events",
    calendar(...many(2001, (n) => event(n, "DTSTART;VALUE=DATE:20260101"))),
    "more than 2000 events",
  ],
  [
    "6,000 added days",
    calendar(
      event(
        1,
        "DTSTART;VALUE=DATE:20260101",
        ...many(60, () => `RDATE;VALUE=DATE:${many(100, day).join(",")}`),
      ),
    ),
    "more than 5000 dates",
  ],
  [
    "a rule of a hundred days",
    calendar(
      event(
        1,
        "DTSTART;VALUE=DATE:20260101",
        `RRULE:FREQ=YEARLY;BYDAY=${many(100, (n) => `${(n % 50) + 1}${n < 50 ? "MO" : "TU"}`).join(",")}`,
      ),
    ),
    "more than 62 values",
  ],
  [
    "a line of 70,000 characters",
    calendar(event(1, ...daily, `X-NOTE:${"x".repeat(70_000)}`)),
    "a line of more than 65536",
  ],
  [
    "the same in pieces",
    calendar(event(1, ...daily, `X-NOTE:${many(1100, () => "x".repeat(64)).join("\r\n ")}`)),
    "a line of more than 65536",
  ],
  ["21,000 lines", calendar(event(1, ...daily, ...many(21_000, () => "X-A:b"))), "more than 20000 lines"],
  [
    "6,000 components",
    calendar(...many(6000, () => "BEGIN:VTODO\r\nEND:VTODO")),
    "more than 5000 components",
  ],
  [
    "more than a million characters",
    calendar(event(1, ...daily, ...many(18_000, () => `X-NOTE:${"x".repeat(60)}`))),
    "more than 1000000 characters",
  ],
];

/** Calendars at the limits, that are followed, with how many days they exclude. */
export const followed: readonly (readonly [name: string, text: string, days: number])[] = [
  ["each day since 1900", calendar(event(1, "DTSTART;VALUE=DATE:19000101", "RRULE:FREQ=DAILY")), 1098],
  [
    "each week since 1900",
    calendar(event(1, "DTSTART;VALUE=DATE:19000101", "RRULE:FREQ=WEEKLY;BYDAY=MO,SU")),
    314,
  ],
  [
    "900 days of each year since 1900",
    calendar(...many(900, (n) => event(n, "DTSTART;VALUE=DATE:19000601", "RRULE:FREQ=YEARLY"))),
    3,
  ],
  [
    "500 changed occurrences",
    calendar(
      event(1, ...daily),
      ...many(500, (n) => event(1, `RECURRENCE-ID;VALUE=DATE:${day(n)}`, "DTSTART;VALUE=DATE:20260601")),
    ),
    599,
  ],
  [
    "2,000 events, each with a change of another's",
    calendar(
      ...many(1500, (n) => event(n, "DTSTART;VALUE=DATE:20260101")),
      ...many(499, (n) => event(n, `RECURRENCE-ID;VALUE=DATE:${day(n)}`, "DTSTART;VALUE=DATE:20260601")),
    ),
    1,
  ],
  [
    "a zone of Microsoft's",
    calendar(
      zone("RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10").replace("19700101", "16010101"),
      event(1, "DTSTART;VALUE=DATE:20260101"),
    ),
    1,
  ],
];
