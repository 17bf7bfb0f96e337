import { expect, test } from "vitest";
import { formatInstant } from "../src/index.ts";
import {
  boundsWith,
  readSchedules,
  type Schedule,
  type ScheduleSpec,
  scheduleState,
  upcomingTransitions,
} from "../src/schedules/index.ts";
import { zone } from "./zones.ts";

const office: ScheduleSpec = {
  name: "office",
  timeZone: "Europe/Berlin",
  start: "0 8 * * MON-FRI",
  end: "0 18 * * MON-FRI",
  minReplicas: 10,
};

function read(...specs: readonly Partial<ScheduleSpec>[]): readonly Schedule[] {
  const named = specs.map((spec, n) => ({ ...office, ...(n === 0 ? {} : { name: `entry-${n}` }), ...spec }));
  const result = readSchedules(named, { zone, bounds: { minReplicas: 2, maxReplicas: 50 } });
  expect(result.problems).toEqual([]);
  return result.schedules;
}

function at(schedules: readonly Schedule[], instant: string): string {
  const { floor, ceiling, active, nextMs } = scheduleState(schedules, Date.parse(instant));
  const names = active.map(({ name }) => name).join("+");
  const next = nextMs === undefined ? "never" : formatInstant(nextMs);
  return `${names || "none"} [${floor ?? ""}, ${ceiling ?? ""}] until ${next}`;
}

/** Begins and ends from an instant on: "+ 2026-…" and "- 2026-…". */
function changes(schedules: readonly Schedule[], from: string, count: number): readonly string[] {
  return upcomingTransitions(schedules, Date.parse(from), count).map(({ atMs, begins, ends }) => {
    const signs = `${"+".repeat(begins.length)}${"-".repeat(ends.length)}`;
    return `${signs || "~"} ${formatInstant(atMs)}`;
  });
}

test("an entry holds from its start to its end, in its zone", () => {
  const schedules = read({});
  expect(at(schedules, "2026-06-19T05:59:59.999Z")).toBe("none [, ] until 2026-06-19T06:00:00Z");
  expect(at(schedules, "2026-06-19T06:00:00Z")).toBe("office [10, ] until 2026-06-19T16:00:00Z");
  expect(at(schedules, "2026-06-19T15:59:59Z")).toBe("office [10, ] until 2026-06-19T16:00:00Z");
  expect(at(schedules, "2026-06-19T16:00:00Z")).toBe("none [, ] until 2026-06-22T06:00:00Z");
  expect(at(schedules, "2026-12-18T07:00:00Z")).toBe("office [10, ] until 2026-12-18T17:00:00Z");
});

test("an end before the next start makes a window over midnight, or over a week", () => {
  const night = read({ start: "0 22 * * *", end: "0 6 * * *", timeZone: "UTC" });
  expect(at(night, "2026-06-19T03:00:00Z")).toBe("office [10, ] until 2026-06-19T06:00:00Z");
  expect(at(night, "2026-06-19T21:00:00Z")).toBe("none [, ] until 2026-06-19T22:00:00Z");
  const week = read({ start: "0 8 * * MON", end: "0 18 * * FRI", timeZone: "UTC" });
  expect(at(week, "2026-06-17T02:00:00Z")).toBe("office [10, ] until 2026-06-19T18:00:00Z");
});

test("where one window ends as the next begins, nothing changes", () => {
  const schedules = read({ start: "0 8,12 * * *", end: "0 12,18 * * *", timeZone: "UTC" });
  expect(at(schedules, "2026-06-17T11:00:00Z")).toBe("office [10, ] until 2026-06-17T18:00:00Z");
  expect(scheduleState(schedules, Date.parse("2026-06-17T13:00:00Z")).active[0]?.sinceMs).toBe(
    Date.parse("2026-06-17T08:00:00Z"),
  );
  const lasting = read({ start: "*/10 9-11 * * *", end: undefined, duration: "10m", timeZone: "UTC" });
  expect(changes(lasting, "2026-06-17T00:00:00Z", 2)).toEqual([
    "+ 2026-06-17T09:00:00Z",
    "- 2026-06-17T12:00:00Z",
  ]);
});

test.each([
  // A window that begins, ends, or lies in an hour that clocks skip.
  [
    "America/New_York",
    "30 2 * * *",
    "30 5 * * *",
    "2026-03-08T00:00:00Z",
    "+ 2026-03-08T07:00:00Z",
    "- 2026-03-08T09:30:00Z",
  ],
  [
    "America/New_York",
    "30 1 * * *",
    "30 2 * * *",
    "2026-03-08T00:00:00Z",
    "+ 2026-03-08T06:30:00Z",
    "- 2026-03-08T07:00:00Z",
  ],
  [
    "America/New_York",
    "10 2 * * *",
    "50 2 * * *",
    "2026-03-08T00:00:00Z",
    "+ 2026-03-09T06:10:00Z",
    "- 2026-03-09T06:50:00Z",
  ],
  // Hours that come twice count once.
  [
    "America/New_York",
    "30 1 * * *",
    "45 1 * * *",
    "2026-11-01T00:00:00Z",
    "+ 2026-11-01T05:30:00Z",
    "- 2026-11-01T05:45:00Z",
  ],
  [
    "America/New_York",
    "30 1 * * *",
    "30 2 * * *",
    "2026-11-01T00:00:00Z",
    "+ 2026-11-01T05:30:00Z",
    "- 2026-11-01T07:30:00Z",
  ],
  [
    "Europe/London",
    "30 1 * * *",
    "0 3 * * *",
    "2026-03-29T00:00:00Z",
    "+ 2026-03-29T01:00:00Z",
    "- 2026-03-29T02:00:00Z",
  ],
  // Midnight itself is skipped.
  [
    "America/Sao_Paulo",
    "0 0 * * *",
    "0 6 * * *",
    "2018-11-04T00:00:00Z",
    "+ 2018-11-04T03:00:00Z",
    "- 2018-11-04T08:00:00Z",
  ],
  // Half an hour only.
  [
    "Australia/Lord_Howe",
    "15 2 * * *",
    "0 4 * * *",
    "2026-10-03T12:00:00Z",
    "+ 2026-10-03T15:30:00Z",
    "- 2026-10-03T17:00:00Z",
  ],
  [
    "Australia/Lord_Howe",
    "45 1 * * *",
    "0 4 * * *",
    "2026-04-04T12:00:00Z",
    "+ 2026-04-04T14:45:00Z",
    "- 2026-04-04T17:30:00Z",
  ],
  // A whole day is skipped.
  [
    "Pacific/Apia",
    "0 8 30 12 *",
    "0 18 30 12 *",
    "2011-12-29T00:00:00Z",
    "+ 2012-12-29T18:00:00Z",
    "- 2012-12-30T04:00:00Z",
  ],
  [
    "Pacific/Apia",
    "0 8 29 12 *",
    "0 18 31 12 *",
    "2011-12-29T00:00:00Z",
    "+ 2011-12-29T18:00:00Z",
    "- 2011-12-31T04:00:00Z",
  ],
  [
    "Asia/Tehran",
    "0 0 * * *",
    "0 6 * * *",
    "2022-03-21T12:00:00Z",
    "+ 2022-03-21T20:30:00Z",
    "- 2022-03-22T01:30:00Z",
  ],
  [
    "Africa/Casablanca",
    "30 2 * * *",
    "0 5 * * *",
    "2026-03-22T00:00:00Z",
    "+ 2026-03-22T02:00:00Z",
    "- 2026-03-22T04:00:00Z",
  ],
])("in %s, from %s to %s after %s", (...[timeZone, start, end, from, ...expected]) => {
  expect(changes(read({ timeZone, start, end }), from, 2)).toEqual(expected);
});

test("a duration is time that really passes, also from a start that is put off", () => {
  const schedules = read({
    timeZone: "America/New_York",
    start: "30 2 * * *",
    end: undefined,
    duration: "8h30m",
  });
  expect(changes(schedules, "2026-03-08T00:00:00Z", 2)).toEqual([
    "+ 2026-03-08T07:00:00Z",
    "- 2026-03-08T15:30:00Z",
  ]);
});

test("an entry whose windows follow on without a break holds on, but for what is excluded", () => {
  const always = read({ timeZone: "UTC", start: "0 0 * * *", end: undefined, duration: "24h" });
  const { active } = scheduleState(always, Date.parse("2026-06-17T12:00:00Z"));
  expect(active.map(({ floor, untilMs }) => [floor, untilMs])).toEqual([[10, undefined]]);
  expect(changes(always, "2026-06-17T12:00:00Z", 5)).toEqual([]);
  const minutely = read({ timeZone: "UTC", start: "* * * * *", end: undefined, duration: "10m" });
  expect(changes(minutely, "2026-06-17T12:00:00Z", 5)).toEqual([]);
  const weekdays = { exclusions: [{ weekdays: ["SAT", "SUN"] }] };
  const working = read({ timeZone: "UTC", start: "0 0 * * *", end: undefined, duration: "24h", ...weekdays });
  expect(changes(working, "2026-06-17T12:00:00Z", 2)).toEqual([
    "- 2026-06-20T00:00:00Z",
    "+ 2026-06-22T00:00:00Z",
  ]);
});

test("leap days come round", () => {
  const schedules = read({ timeZone: "UTC", start: "0 0 29 2 *", end: undefined, duration: "24h" });
  expect(changes(schedules, "2026-06-01T00:00:00Z", 3)).toEqual([
    "+ 2028-02-29T00:00:00Z",
    "- 2028-03-01T00:00:00Z",
    "+ 2032-02-29T00:00:00Z",
  ]);
  expect(changes(schedules, "2096-03-02T00:00:00Z", 1)).toEqual(["+ 2104-02-29T00:00:00Z"]);
});

test("the highest floor and the lowest ceiling apply; the floor wins over a ceiling unless the spec says otherwise", () => {
  const all = { timeZone: "UTC", start: "0 0 * * *", end: "0 12 * * *" };
  const none = { minReplicas: undefined };
  const state = (...specs: readonly Partial<ScheduleSpec>[]) =>
    scheduleState(read(...specs.map((spec) => ({ ...all, ...spec }))), Date.parse("2026-06-17T08:00:00Z"));
  expect(state({ minReplicas: 5 }, { minReplicas: 8 }, { ...none, maxReplicas: 30 })).toMatchObject({
    floor: 8,
    ceiling: 30,
  });
  expect(state({ minReplicas: 8 }, { ...none, maxReplicas: 4 })).toMatchObject({
    floor: 8,
    ceiling: 8,
    conflict: { winner: "floor", floor: 8, ceiling: 4 },
  });
  const hard = { ...none, maxReplicas: 4, precedence: "Ceiling" } as const;
  expect(state({ minReplicas: 8 }, hard)).toMatchObject({
    floor: 4,
    ceiling: 4,
    conflict: { winner: "ceiling", floor: 8, ceiling: 4 },
  });
  expect(state({ ...none, replicas: 6 })).toMatchObject({ floor: 6, ceiling: 6 });
  expect(state({ ...none, replicas: 6 }).conflict).toBeUndefined();
  expect(state({ ...none, replicas: 6 }, { ...none, replicas: 9 })).toMatchObject({ floor: 9, ceiling: 9 });
});

test.each([
  [{ floor: undefined, ceiling: undefined }, [2, 10]],
  [{ floor: 5, ceiling: undefined }, [5, 10]],
  [{ floor: 1, ceiling: undefined }, [2, 10]],
  [{ floor: undefined, ceiling: 4 }, [2, 4]],
  [{ floor: undefined, ceiling: 1 }, [1, 1]],
  [{ floor: 0, ceiling: 0 }, [0, 0]],
  [{ floor: 20, ceiling: undefined }, [10, 10]],
])("bounds of [2, 10] with %j are %j", (state, [minReplicas, maxReplicas]) => {
  expect(boundsWith({ minReplicas: 2, maxReplicas: 10 }, state)).toEqual({ minReplicas, maxReplicas });
});

test("a ramp takes its first step at the start and its last when its time is over", () => {
  const schedules = read({ timeZone: "UTC", ramp: { over: "40m", steps: 5 } });
  const from = Date.parse("2026-06-17T08:00:00Z");
  const floors = upcomingTransitions(schedules, from - 1, 6).map(({ atMs, state }) => [
    (atMs - from) / 60_000,
    state.floor,
  ]);
  expect(floors).toEqual([
    [0, 4],
    [10, 6],
    [20, 7],
    [30, 9],
    [40, 10],
    [600, undefined],
  ]);
  expect(scheduleState(schedules, from + 60_000).active).toMatchObject([
    { floor: 4, ramp: { floor: 10, doneMs: from + 40 * 60_000 } },
  ]);
});

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

const bad: readonly (readonly [Partial<ScheduleSpec>, string])[] = [
  [{ name: "" }, "[0].name undefined is missing"],
  [{ timeZone: "Europe/Atlantis" }, '[0].timeZone "Europe/Atlantis" is no time zone'],
  [{ start: "0 8 * *" }, '[0].start "0 8 * *" is no schedule of five fields'],
  [{ start: "0 0 8 * * *" }, '[0].start "0 0 8 * * *" is no schedule of five fields'],
  [{ start: "0 25 * * *" }, '[0].start "0 25 * * *" is no schedule of five fields'],
  [{ start: "0 0 L * *" }, '[0].start "0 0 L * *" is no schedule of five fields'],
  [{ start: "@daily" }, '[0].start "@daily" is no schedule of five fields'],
  [{ end: "0 0 31 2 *" }, '[0].end "0 0 31 2 *" never comes'],
  [{ end: undefined }, "[0].end undefined is missing, as is duration"],
  [{ duration: "1h" }, '[0].duration "1h" stands beside end'],
  [{ end: undefined, duration: "8 hours" }, '[0].duration "8 hours" is no duration'],
  [{ end: undefined, duration: "-1h" }, '[0].duration "-1h" lets it end before it starts'],
  [{ end: "0 8 * * MON-FRI" }, '[0].end "0 8 * * MON-FRI" is the start as well, so it would never end'],
  [{ start: "0 8 24 12 *", end: "0 8 23 12 *" }, '[0].end "0 8 23 12 *" comes 364 days after the start'],
  [{ end: undefined, duration: "9000h" }, '[0].duration "9000h" is 375 days'],
  [{ minReplicas: undefined }, "[0].minReplicas undefined is missing, as are maxReplicas and replicas"],
  [{ minReplicas: 0 }, "[0].minReplicas 0 is no whole number from 1 on"],
  [{ minReplicas: 51 }, "[0].minReplicas 51 is above spec.maxReplicas, which is 50"],
  [{ minReplicas: undefined, replicas: 51 }, "[0].replicas 51 is above spec.maxReplicas, which is 50"],
  [{ replicas: 5 }, "[0].replicas 5 stands beside minReplicas or maxReplicas"],
  [{ maxReplicas: 5 }, "[0].maxReplicas 5 is below the entry's own minReplicas, which is 10"],
  [{ precedence: "Both" as "Floor" }, '[0].precedence "Both" is none'],
  [{ ramp: { over: "soon" } }, '[0].ramp.over "soon" is no duration from a second to a day'],
  [{ ramp: { over: "1h", steps: 1 } }, "[0].ramp.steps 1 is no whole number from 2 to 100"],
  [
    { minReplicas: undefined, maxReplicas: 5, ramp: { over: "1h" } },
    "[0].ramp undefined has no floor to reach",
  ],
  [{ exclusions: [] }, "[0].exclusions undefined is empty"],
  [{ exclusions: [{}] }, "[0].exclusions[0] undefined does not say one thing to exclude"],
  [
    { exclusions: [{ date: "2026-12-24", to: "2026-12-26" }] },
    "[0].exclusions[0] undefined does not say one thing to exclude",
  ],
  [{ exclusions: [{ date: "2026-02-29" }] }, '[0].exclusions[0].date "2026-02-29" is no date'],
  [{ exclusions: [{ from: "2026-12-24" }] }, "[0].exclusions[0].to undefined is no date"],
  [
    { exclusions: [{ from: "2026-12-24", to: "2026-12-20" }] },
    '[0].exclusions[0].to "2026-12-20" comes before from',
  ],
  [{ exclusions: [{ weekdays: [] }] }, "[0].exclusions[0].weekdays undefined is empty"],
  [{ exclusions: [{ weekdays: ["SO"] }] }, '[0].exclusions[0].weekdays[0] "SO" is no day of the week'],
  [
    { exclusions: [{ weekdays: ["SAT", "SUN"] }, { weekdays: ["MON", "TUE", "WED", "THU", "FRI"] }] },
    "[0].exclusions undefined leave no day of the week",
  ],
  [
    { exclusions: [{ calendar: "BEGIN:VCALENDAR" }] },
    "[0].exclusions[0].calendar undefined cannot be read here",
  ],
];

test.each(bad)("%j is a problem of its entry only", (spec, expected) => {
  const { schedules, problems } = readSchedules(
    [
      { ...office, ...spec },
      { ...office, name: "good" },
    ],
    {
      zone,
      bounds: { minReplicas: 2, maxReplicas: 50 },
    },
  );
  expect(problems.map(({ path, value, message }) => `${path} ${JSON.stringify(value)} ${message}`)).toEqual([
    expected,
  ]);
  expect(problems.every(({ remedy }) => remedy.length > 5)).toBe(true);
  expect(schedules.map(({ name, index }) => [name, index])).toEqual([["good", 1]]);
});

test("a name that comes twice is a problem of the second", () => {
  const { schedules, problems } = readSchedules([office, { ...office, minReplicas: 3 }], {
    zone,
    bounds: { minReplicas: 2, maxReplicas: 50 },
  });
  expect(problems.map(({ path }) => path)).toEqual(["[1].name"]);
  expect(schedules.map(({ floor }) => floor)).toEqual([10]);
});

test("entries that are no entries at all are problems, and throw nothing", () => {
  const junk = [
    null,
    5,
    "office",
    [],
    { exclusions: 7, ramp: 3, minReplicas: "x" },
    { exclusions: [null, 3] },
  ];
  const { schedules, problems } = readSchedules(junk as unknown as readonly ScheduleSpec[], {
    zone,
    bounds: { minReplicas: 2, maxReplicas: 50 },
  });
  expect(schedules).toEqual([]);
  expect(new Set(problems.map(({ index }) => index))).toEqual(new Set(junk.keys()));
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
      remedy: "nothing is excluded by it; leave out what is not needed",
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
    "[2].exclusions[0].calendarName brings the object's calendars to more than 10000 days and spans",
  ]);
});
