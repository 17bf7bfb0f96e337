import { expect, test } from "vitest";
import { applyCronTarget, readCronHpaSchedule } from "../src/decide/cronhpa/index.ts";
import {
  type CronDialect,
  nextFiring,
  parseCron,
  type ZoneOffset,
  zoneOffset,
} from "../src/decide/schedules/index.ts";
import { formatInstant } from "../src/index.ts";

function zone(timeZone: string): ZoneOffset {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  return (ms) => Date.parse(`${format.format(ms).replace(" ", "T")}Z`) - Math.floor(ms / 1000) * 1000;
}

interface Question {
  readonly schedule: string;
  readonly dialect?: CronDialect;
  readonly timeZone?: string;
  readonly after: string;
}

function firings(
  { schedule, dialect = "standard", timeZone = "UTC", after }: Question,
  count: number,
): readonly string[] {
  const parsed = parseCron(schedule, dialect);
  if (parsed === undefined) return ["error"];
  const found: string[] = [];
  let ms: number | undefined = Date.parse(after);
  for (let i = 0; i < count && ms !== undefined; i++) {
    ms = nextFiring(parsed, ms, zone(timeZone));
    found.push(ms === undefined ? "never" : formatInstant(ms));
  }
  return found;
}

const newYork = { timeZone: "America/New_York" };

test("a local time that daylight saving skips is due at the first instant after the gap", () => {
  const question = { ...newYork, schedule: "30 2 * * *", after: "2026-03-07T12:00:00Z" };
  expect(firings(question, 2)).toEqual(["2026-03-08T07:00:00Z", "2026-03-09T06:30:00Z"]);
  const midnight = { timeZone: "America/Sao_Paulo", schedule: "0 0 * * *", after: "2018-11-03T12:00:00Z" };
  expect(firings(midnight, 2)).toEqual(["2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"]);
});

test("several skipped times, and one that is due anyway, make one firing", () => {
  const question = { ...newYork, schedule: "0,20,40 2,3 * * *", after: "2026-03-08T05:00:00Z" };
  expect(firings(question, 3)).toEqual([
    "2026-03-08T07:00:00Z",
    "2026-03-08T07:20:00Z",
    "2026-03-08T07:40:00Z",
  ]);
});

test("a local time that repeats is due the first time only", () => {
  const question = { ...newYork, schedule: "30 1 * * *", after: "2026-10-31T12:00:00Z" };
  expect(firings(question, 2)).toEqual(["2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z"]);
  const within = { ...newYork, schedule: "*/30 * * * *", after: "2026-11-01T05:30:00Z" };
  expect(firings(within, 2)).toEqual(["2026-11-01T07:00:00Z", "2026-11-01T07:30:00Z"]);
});

test.each([
  ["0 9 * * *", "cronhpa", "2026-06-20T00:09:00Z"],
  ["0 0 9 13 * FRI", "cronhpa", "2026-06-26T09:00:00Z"],
  ["0 0 9 1-31 * FRI", "cronhpa", "2026-06-20T09:00:00Z"],
  [", * * * * *", "cronhpa", "never"],
  ["0 , * * * *", "cronhpa", "never"],
  ["0 0 , * * *", "cronhpa", "never"],
  ["0 0 0 31 2 *", "cronhpa", "never"],
  ["0 0 0 29 2 *", "cronhpa", "2028-02-29T00:00:00Z"],
  ["@date 2020-10-27 21:54:00", "cronhpa", "2026-10-27T21:54:00Z"],
  ["@every 1500ms", "cronhpa", "2026-06-20T00:00:01Z"],
  ["@hourly", "cronhpa", "2026-06-20T01:00:00Z"],
  ["0 0 * * 7", "standard", "2026-06-21T00:00:00Z"],
  ["0 0 * * sun", "standard", "2026-06-21T00:00:00Z"],
  ["5/20 * * * *", "standard", "2026-06-20T00:05:00Z"],
  ["0 0 1 1 ?", "standard", "2027-01-01T00:00:00Z"],
] as const)("%s (%s) is due at %s", (schedule, dialect, expected) => {
  expect(firings({ schedule, dialect, after: "2026-06-20T00:00:00Z" }, 1)).toEqual([expected]);
});

test.each([
  ["0 25 * * *", "standard"],
  ["0 0 0 * *  *", "standard"],
  ["* * * *", "standard"],
  ["0 , * * *", "standard"],
  ["0 0 * * 5-1", "standard"],
  ["*/0 * * * *", "standard"],
  ["0 0 0 * * 7", "cronhpa"],
  ["0 0 0 * * FRI-MON", "cronhpa"],
  ["@reboot", "cronhpa"],
  ["@every soon", "cronhpa"],
  ["@date 2021-02-29 00:00:00", "cronhpa"],
  ["TZ=UTC 0 0 0 * * *", "cronhpa"],
  ["", "cronhpa"],
] as const)("%j is not a schedule (%s)", (schedule, dialect) => {
  expect(parseCron(schedule, dialect)).toBeUndefined();
});

test.each([
  [1, 10, 5, 5, { minReplicas: 1, maxReplicas: 10, scaleTo: undefined }],
  [1, 10, 5, 4, { minReplicas: 1, maxReplicas: 10, scaleTo: undefined }],
  [1, 10, 5, 6, { minReplicas: 6, maxReplicas: 10, scaleTo: 6 }],
  [5, 10, 5, 4, { minReplicas: 4, maxReplicas: 10, scaleTo: undefined }],
  [5, 10, 5, 6, { minReplicas: 6, maxReplicas: 10, scaleTo: 6 }],
  [5, 10, 5, 11, { minReplicas: 11, maxReplicas: 11, scaleTo: 11 }],
  [2, 10, 10, 5, { minReplicas: 2, maxReplicas: 10, scaleTo: undefined }],
  [2, 10, 2, 1, { minReplicas: 1, maxReplicas: 10, scaleTo: undefined }],
  [1, 10, 1, 0, { minReplicas: 0, maxReplicas: 10, scaleTo: undefined }],
  [11, 11, 11, 1, { minReplicas: 1, maxReplicas: 11, scaleTo: undefined }],
  [3, 11, 8, 3, { minReplicas: 3, maxReplicas: 11, scaleTo: undefined }],
])("an HPA of [%i, %i]", (...[minReplicas, maxReplicas, currentReplicas, targetSize, expected]) => {
  expect(applyCronTarget({ minReplicas, maxReplicas, currentReplicas, targetSize })).toEqual(expected);
});

test("a text longer than any schedule, duration or name of a zone is none, and is not read", () => {
  const long = "0,".repeat(450_000);
  for (const dialect of ["standard", "cronhpa"] as const) {
    expect(parseCron(`${long}0 * * * *`, dialect)).toBeUndefined();
    expect(parseCron(`${" ".repeat(300)}0 8 * * *`, dialect)).toBeUndefined();
  }
  expect(parseCron(`@every ${"1h".repeat(450_000)}`, "cronhpa")).toBeUndefined();
  // Go's durations end with 2,562,047 hours.
  expect(parseCron("@every 2562047h", "cronhpa")).toMatchObject({ kind: "every" });
  expect(parseCron("@every 2562048h", "cronhpa")).toBeUndefined();
  expect(zoneOffset(`Europe/${"a".repeat(900_000)}`)).toBeUndefined();
  expect(zoneOffset("+05:30")).toBeUndefined();
  const read = readCronHpaSchedule(long);
  expect(read.ok ? "" : read.message).toMatch(/^schedule "0,0,.{60,70} is longer than 256 characters; use a/);
});

test.each([
  ["Antarctica/Casey", "2022-10-01T16:01:00Z", 8, 11],
  ["America/Goose_Bay", "2010-11-07T03:01:00Z", -3, -4],
  ["Africa/Monrovia", "1972-01-07T00:44:30Z", -2670 / 3600, 0],
])(
  "the clocks of %s are set at %s, which is not a whole quarter of an hour",
  (timeZone, instant, before, after) => {
    const offset = zoneOffset(timeZone);
    const atMs = Date.parse(instant);
    expect([-1000, 0].map((ms) => offset?.(atMs + ms))).toEqual([before * 3_600_000, after * 3_600_000]);
  },
);
