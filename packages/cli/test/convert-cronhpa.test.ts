import { readSchedules, scheduleState, zoneOffset } from "@plimsoll/core/schedules";
import { expect, test } from "vitest";
import { type Converted, convert, convertAt, convertPlainly, cronHpa, hours } from "./cronhpa-files.ts";

/** What the schedules make of an instant, outside of which the minimum is the count. */
function countAt({ spec }: Converted, at: string): number {
  const { schedules, problems } = readSchedules(spec.schedules, { zone: zoneOffset, bounds: spec });
  expect(problems).toEqual([]);
  return scheduleState(schedules, Date.parse(at)).floor ?? spec.minReplicas;
}

test("two jobs are one stretch of time, from the one to the other", async () => {
  const { code, object, out } = await convert(
    cronHpa([
      'name: open, schedule: "0 0 9 * * 1-5", targetSize: 8',
      'name: close, schedule: "0 30 18 ? * 1-5", targetSize: 2',
    ]),
  );
  expect(code).toBe(0);
  expect(out).toMatch(/^# The shop's hours\.\n/);
  expect(object).toEqual({
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "WorkloadAutoscaler",
    metadata: { name: "shop", namespace: "web", labels: { team: "a" } },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
      minReplicas: 2,
      maxReplicas: 8,
      schedules: [
        { name: "open", timeZone: "Europe/Berlin", start: "0 9 * * 1-5", end: "30 18 * * 1-5", replicas: 8 },
      ],
    },
  });
});

test("the counts are those that the jobs would have set, hour by hour", async () => {
  const { object } = await convert(
    cronHpa([
      'name: morning, schedule: "0 0 6 * * *", targetSize: 4',
      'name: noon, schedule: "0 0 11 * * *", targetSize: 9',
      'name: evening, schedule: "0 0 14 * * *", targetSize: 4',
      'name: night, schedule: "0 0 22 * * *", targetSize: 1',
    ]),
  );
  const counts = Array.from({ length: 24 }, (_, hour) => {
    const local = Date.parse("2026-06-03T00:30:00+02:00") + hour * 3_600_000;
    return object === undefined ? 0 : countAt(object, new Date(local).toISOString());
  });
  expect(counts.join(" ")).toBe("1 1 1 1 1 1 4 4 4 4 4 9 9 9 4 4 4 4 4 4 4 4 1 1");
});

test("hours that differ by weekday become one schedule for each length", async () => {
  const { object } = await convert(
    cronHpa([
      'name: open, schedule: "0 0 9 * * MON-SAT", targetSize: 8',
      'name: close, schedule: "0 0 18 * * MON-FRI", targetSize: 2',
      'name: close-saturday, schedule: "0 0 14 * * SAT", targetSize: 2',
    ]),
  );
  expect(object?.spec.schedules).toMatchObject([
    { name: "open", start: "0 9 * * 1,2,3,4,5", duration: "9h" },
    { name: "open-2", start: "0 9 * * 6", duration: "5h" },
  ]);
});

test("excludeDates become weekdays, or dates with a note", async () => {
  const { object, errors } = await convert(
    hours(8, 2, { excludeDates: '["* * * * * 0,6", "* * * 25 12 *", "x"]' }),
  );
  expect(object?.spec.schedules[0]?.exclusions).toEqual([
    { weekdays: ["SUN", "SAT"] },
    { date: "2026-12-25" },
    { date: "2027-12-25" },
    { date: "2028-12-25" },
  ]);
  expect(errors).toContain("is converted to its 3 dates in the next three years");
  expect(errors).toContain('"x" is not a day and is left out');
});

test("a count of nothing has a schedule of its own", async () => {
  const { object } = await convert(hours(3, 0));
  expect(object?.spec).toMatchObject({
    minReplicas: 1,
    schedules: [
      { name: "up", replicas: 3 },
      { name: "down", replicas: 0, start: "0 18 * * *", end: "0 9 * * *" },
    ],
  });
});

test("what is lost is noted: seconds, dates, jobs that run once", async () => {
  const { code, object, errors } = await convert(
    cronHpa([
      'name: sale, schedule: "@date 2026-11-27 08:00:30", targetSize: 50',
      'name: over, schedule: "@date 2026-11-30 00:00:00", targetSize: 5',
    ]),
  );
  expect(code).toBe(0);
  expect(object?.spec.schedules).toMatchObject([{ start: "0 8 27 11 *", end: "0 0 30 11 *", replicas: 50 }]);
  expect(errors).toContain("is due 30 seconds after the minute");
  // A date comes round every year; the sale does not.
  expect(object?.spec.schedules[0]?.exclusions).toEqual([{ from: "2026-12-01", to: "2099-12-31" }]);
  const once = await convert(hours(3, 1).replace("targetSize: 3", "targetSize: 3, runOnce: true"));
  expect(once.errors).toContain(
    "runs once, but the schedule runs every time: remove the schedule after it ends",
  );
});

test("a zone that is only that of this process is reported", async () => {
  const text = hours(3, 1);
  const assumed = await convertPlainly(text);
  expect(assumed.errors).toContain("set --time-zone to the controller's time zone");
  expect((await convert(text)).errors).toBe("");
});

test.each([
  [
    "an interval",
    ['name: a, schedule: "@every 5m", targetSize: 8', 'name: b, schedule: "0 0 1 * * *", targetSize: 1'],
    "is an interval",
  ],
  [
    "every second",
    ['name: a, schedule: "* * * * * *", targetSize: 8', 'name: b, schedule: "0 0 1 * * *", targetSize: 1'],
    "is due in several seconds of a minute",
  ],
  ["one job alone", ['name: a, schedule: "0 0 9 * * *", targetSize: 8'], "never goes back to another size"],
  [
    "never occurs",
    ['name: a, schedule: "0 0 0 31 2 *", targetSize: 8', 'name: b, schedule: "0 0 1 * * *", targetSize: 1'],
    "cannot run",
  ],
  [
    "don't follow a weekday rule",
    [
      'name: a, schedule: "0 0 9 * * *", targetSize: 8',
      'name: b, schedule: "0 0 18 1-15 * *", targetSize: 1',
      'name: c, schedule: "0 0 20 16-31 * *", targetSize: 1',
    ],
    "ends at times that don't follow a weekday rule",
  ],
])("%s cannot be expressed, and says so", async (_, jobs, message) => {
  const { code, out, errors } = await convert(cronHpa(jobs));
  expect([code, out]).toEqual([1, ""]);
  expect(errors).toContain(message);
});

test.each([
  ["2026-06-01T00:00:00Z", "2026-06-25", "2026-06-26"],
  // Within the time, which is the one that was meant.
  ["2026-06-25T12:00:00Z", "2026-06-25", "2026-06-26"],
  ["2026-06-26T12:00:00Z", "2027-06-25", "2027-06-26"],
])("a date occurs once, seen at %s", async (now, at, next) => {
  const jobs = [
    'name: sale, schedule: "@date 2026-06-24 08:00:00", targetSize: 50',
    'name: over, schedule: "@date 2026-06-25 20:00:00", targetSize: 5',
  ];
  const { object, errors } = await convertAt(now, cronHpa(jobs));
  expect(object?.spec.schedules[0]?.exclusions).toEqual([{ from: next, to: "2099-12-31" }]);
  expect(object && countAt(object, `${at}T10:00:00Z`)).toBe(50);
  expect(errors.includes("is converted to 2027-06-24: the controller doesn't read the year")).toBe(
    next.startsWith("2027"),
  );
});

test("dates may lower the size for a while", async () => {
  const jobs = (after: number, ref?: string) =>
    cronHpa(
      [
        'name: closed, schedule: "@date 2026-12-24 08:00:00", targetSize: 2',
        `name: open, schedule: "@date 2027-01-02 08:00:00", targetSize: ${after}`,
      ],
      ref === undefined ? {} : { ref },
    );
  const { object } = await convert(jobs(9));
  expect(object?.spec).toMatchObject({ minReplicas: 9, schedules: [{ name: "closed", replicas: 2 }] });
  const times = ["2026-12-20T10:00:00Z", "2026-12-30T10:00:00Z", "2027-01-03T10:00:00Z"];
  expect(times.map((at) => object && countAt(object, at))).toEqual([9, 2, 9]);
  // A floor can't do it, and 0 needs an entry for the rest of the year.
  const hpa = "{ apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, name: shop }";
  for (const text of [jobs(9, hpa), jobs(0)]) {
    const { code, out, errors } = await convert(text);
    expect([code, out]).toEqual([1, ""]);
    expect(errors).toMatch(/spec\.jobs become schedules\[\d\]\.end, which is 35\d days after the start/);
  }
});

test("of jobs that are due at one instant the last of the list counts", async () => {
  const always = await convert(
    cronHpa([
      'name: up, schedule: "0 0 8 * * *", targetSize: 10',
      'name: more, schedule: "0 0 8 * * *", targetSize: 20',
      'name: down, schedule: "0 0 20 * * *", targetSize: 2',
    ]),
  );
  expect(always.object?.spec.schedules.map(({ name }) => name)).toEqual(["more"]);
  expect(always.errors).toContain(
    "is left out: it is always due at the same time as more, which comes after it and sets 20",
  );
  const { object } = await convert(
    cronHpa([
      'name: up, schedule: "0 0 8 * * *", targetSize: 10',
      'name: monday, schedule: "0 0 8 * * 1", targetSize: 20',
      'name: down, schedule: "0 0 20 * * *", targetSize: 2',
    ]),
  );
  // A Sunday, a Monday, and a Monday night.
  const times = ["2026-06-07T10:00:00Z", "2026-06-08T10:00:00Z", "2026-06-08T22:00:00Z"];
  expect(times.map((at) => object && countAt(object, at))).toEqual([10, 20, 2]);
});

test.each(["8:00:00", "08:00:00", "8:00:00.5"])("a date at %s is read as Go reads it", async (time) => {
  const { code, object } = await convert(
    cronHpa([
      `name: up, schedule: "@date 2026-12-01 ${time}", targetSize: 30`,
      'name: down, schedule: "@date 2026-12-02 23:59:00", targetSize: 10',
    ]),
  );
  expect(code).toBe(0);
  expect(object?.spec.schedules).toMatchObject([{ start: "0 8 1 12 *", end: "59 23 2 12 *", replicas: 30 }]);
});

test("five fields are read with seconds first, and the output says how a crontab is written", async () => {
  const jobs = [
    'name: up, schedule: "0 9 * * *", targetSize: 8',
    'name: down, schedule: "0 18 * * *", targetSize: 2',
  ];
  const hourly = await convert(cronHpa(jobs));
  expect([hourly.code, hourly.out]).toEqual([1, ""]);
  expect(hourly.errors).toContain(
    "has five fields, so its first field is read as seconds: it is due too often",
  );
  expect(hourly.errors).toContain('use "0 0 9 * * *" if you meant crontab syntax');
  const daily = await convert(
    cronHpa([
      'name: up, schedule: "0 0 9 * *", targetSize: 8',
      'name: down, schedule: "0 0 18 * *", targetSize: 2',
    ]),
  );
  expect(daily.object?.spec.schedules).toMatchObject([{ start: "0 9 * * *", end: "0 18 * * *" }]);
  expect(daily.errors).toContain('use "0 0 0 9 * *" if you meant crontab syntax');
  const often = await convert(
    cronHpa(['name: up, schedule: "*/5 9 * * *", targetSize: 8', ...jobs.slice(1)]),
  );
  expect([often.code, often.out]).toEqual([1, ""]);
  expect(often.errors).toContain(
    "has five fields, so its first field is read as seconds: it is due in several seconds",
  );
  expect(often.errors).toContain('use "0 */5 9 * * *" if you meant crontab syntax');
});
