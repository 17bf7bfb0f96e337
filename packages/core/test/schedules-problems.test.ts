import { expect, test } from "vitest";
import { readSchedules, type ScheduleSpec } from "../src/decide/schedules/index.ts";
import { office } from "./schedule-rig.ts";
import { zone } from "./zones.ts";

const bad: readonly (readonly [Partial<ScheduleSpec>, string])[] = [
  [{ name: "" }, "[0].name undefined is missing"],
  [{ timeZone: "Europe/Atlantis" }, '[0].timeZone "Europe/Atlantis" is not a time zone'],
  [{ start: "0 8 * *" }, '[0].start "0 8 * *" is not a schedule of five fields'],
  [{ start: "0 0 8 * * *" }, '[0].start "0 0 8 * * *" is not a schedule of five fields'],
  [{ start: "0 25 * * *" }, '[0].start "0 25 * * *" is not a schedule of five fields'],
  [{ start: "0 0 L * *" }, '[0].start "0 0 L * *" is not a schedule of five fields'],
  [{ start: "@daily" }, '[0].start "@daily" is not a schedule of five fields'],
  [{ end: "0 0 31 2 *" }, '[0].end "0 0 31 2 *" never occurs'],
  [{ end: undefined }, "[0].end undefined is missing, and so is duration"],
  [{ duration: "1h" }, '[0].duration "1h" can\'t be combined with end'],
  [{ end: undefined, duration: "8 hours" }, '[0].duration "8 hours" is not a duration'],
  [{ end: undefined, duration: "-1h" }, '[0].duration "-1h" ends before it starts'],
  [
    { end: "0 8 * * MON-FRI" },
    '[0].end "0 8 * * MON-FRI" is the same as start, so the entry would never end',
  ],
  [{ start: "0 8 24 12 *", end: "0 8 23 12 *" }, '[0].end "0 8 23 12 *" is 364 days after the start'],
  [{ end: undefined, duration: "9000h" }, '[0].duration "9000h" is 375 days'],
  [{ minReplicas: undefined }, "[0].minReplicas undefined is missing, and so are maxReplicas and replicas"],
  [{ minReplicas: 0 }, "[0].minReplicas 0 is not a whole number of at least 1"],
  [{ minReplicas: 51 }, "[0].minReplicas 51 is above spec.maxReplicas, 50"],
  [{ minReplicas: undefined, replicas: 51 }, "[0].replicas 51 is above spec.maxReplicas, 50"],
  [{ replicas: 5 }, "[0].replicas 5 can't be combined with minReplicas or maxReplicas"],
  [{ maxReplicas: 5 }, "[0].maxReplicas 5 is below the entry's own minReplicas, 10"],
  [{ precedence: "Both" as "Floor" }, '[0].precedence "Both" is unknown'],
  [{ ramp: { over: "soon" } }, '[0].ramp.over "soon" is not a duration from 1 second to 1 day'],
  [{ ramp: { over: "1h", steps: 1 } }, "[0].ramp.steps 1 is not a whole number from 2 to 100"],
  [{ ramp: { over: "1h", steps: 101 } }, "[0].ramp.steps 101 is not a whole number from 2 to 100"],
  [
    { minReplicas: undefined, maxReplicas: 5, ramp: { over: "1h" } },
    "[0].ramp undefined has no floor to reach",
  ],
  [{ exclusions: [] }, "[0].exclusions undefined is empty"],
  [{ exclusions: [{}] }, "[0].exclusions[0] undefined must exclude exactly one thing"],
  [
    { exclusions: [{ date: "2026-12-24", to: "2026-12-26" }] },
    "[0].exclusions[0] undefined must exclude exactly one thing",
  ],
  [{ exclusions: [{ date: "2026-02-29" }] }, '[0].exclusions[0].date "2026-02-29" is not a date'],
  [{ exclusions: [{ from: "2026-12-24" }] }, "[0].exclusions[0].to undefined is not a date"],
  [{ exclusions: [{ from: "soon", to: "2026-12-26" }] }, '[0].exclusions[0].from "soon" is not a date'],
  [
    { exclusions: [{ from: "2026-12-24", to: "2026-12-20" }] },
    '[0].exclusions[0].to "2026-12-20" is earlier than from',
  ],
  [{ exclusions: [{ weekdays: [] }] }, "[0].exclusions[0].weekdays undefined is empty"],
  [{ exclusions: [{ weekdays: ["SO"] }] }, '[0].exclusions[0].weekdays[0] "SO" is not a day of the week'],
  [
    { exclusions: [{ weekdays: ["SAT", "SUN"] }, { weekdays: ["MON", "TUE", "WED", "THU", "FRI"] }] },
    "[0].exclusions undefined exclude every day of the week",
  ],
  [
    { exclusions: [{ calendar: "BEGIN:VCALENDAR" }] },
    "[0].exclusions[0].calendar undefined cannot be read here",
  ],
  [{ exclusions: [{ calendarName: "works" }] }, '[0].exclusions[0].calendarName "works" cannot be read here'],
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

test.each([2, 100])("a ramp has %i steps", (steps) => {
  const entry = { ...office, ramp: { over: "1h", steps } };
  const { problems } = readSchedules([entry], { zone, bounds: { minReplicas: 2, maxReplicas: 50 } });
  expect(problems).toEqual([]);
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

const readOne = (spec: object) =>
  readSchedules([{ ...office, ...spec }], {
    zone,
    bounds: { minReplicas: 2, maxReplicas: 50 },
    calendar: () => ({ days: [], spans: [] }),
  });

test.each<[string, object]>([
  ...Object.keys(office).map((field): [string, object] => [field, {}]),
  ["end", { duration: "1h" }],
  ["duration", {}],
  ["minReplicas", { maxReplicas: 5 }],
  ["maxReplicas", {}],
  ["replicas", {}],
  ["precedence", {}],
  ["ramp", {}],
  ["exclusions", {}],
])("a %s that is null counts as absent, beside %j", (field, more) => {
  const [asNull, absent] = [readOne({ ...more, [field]: null }), readOne({ ...more, [field]: undefined })];
  expect(asNull.problems).toEqual(absent.problems);
  const { schedules } = asNull;
  expect(schedules).toEqual(absent.schedules.map((one, n) => ({ ...one, offset: schedules[n]?.offset })));
});

test.each([
  { date: "2026-12-24" },
  { from: "2026-12-24", to: "2026-12-26" },
  { weekdays: ["SAT"] },
  { calendar: "x" },
])("the other fields of the exclusion %j may be null", (exclusion) => {
  const none = { date: null, from: null, to: null, weekdays: null, calendar: null, calendarName: null };
  const [asNull, absent] = [{ ...none, ...exclusion }, exclusion].map((one) =>
    readOne({ exclusions: [one] }),
  );
  expect(asNull?.problems).toEqual([]);
  expect(asNull?.schedules[0]?.exclusions).toEqual(absent?.schedules[0]?.exclusions);
});

test.each<[object, string]>([
  [{ start: "0 8 1 1 *", end: "0 8 1 1 *" }, "[0].end"],
  [{ name: "", duration: "9000h", end: undefined }, "[0].name"],
  [{ start: "soon", end: undefined, duration: "8h" }, "[0].start"],
])("%j is one problem, and not a second one that follows from it", (spec, path) => {
  expect(readOne(spec).problems.map((problem) => problem.path)).toEqual([path]);
});
