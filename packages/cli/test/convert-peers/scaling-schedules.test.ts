// Scaling schedules of kube-metrics-adapter become schedules.
import { readSchedules, type ScheduleSpec, scheduleState, zoneOffset } from "@plimsoll/core/schedules";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { convertAll, hpa, query, type Repeating, schedule, scheduled, time } from "./peer-hpa.ts";
import { nowMs, paths, runConvert, specOf } from "./rig.ts";

/** What kube-metrics-adapter's metric is at an instant, for a Repeating schedule without a window. */
function valueAt(atMs: number, { days, startTime, endTime, minutes, value }: Repeating): number {
  const date = new Date(atMs);
  const names = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
  if (!days.includes(names[date.getUTCDay()] ?? "")) return 0;
  const of = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
  const start = of(startTime);
  const end = Math.max(endTime === undefined ? start : of(endTime), start + minutes);
  const now = date.getUTCHours() * 60 + date.getUTCMinutes();
  return now >= start && now < end ? value : 0;
}

/** A window without a minute gives no value, at no time. */
function isEverOn({ startTime, endTime, minutes }: Repeating): boolean {
  return minutes > 0 || (endTime !== undefined && endTime > startTime);
}

const repeating: fc.Arbitrary<Repeating> = fc.record({
  days: fc.uniqueArray(fc.constantFrom("Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"), { minLength: 1 }),
  startTime: time,
  endTime: fc.option(time, { nil: undefined }),
  minutes: fc.integer({ min: 0, max: 2000 }),
  value: fc.integer({ min: 1, max: 150 }),
});

test("repeating schedules are floors of the replicas that the metric proposes, at every time", async () => {
  await assertProperty(
    fc.asyncProperty(
      fc.array(repeating, { minLength: 1, maxLength: 3 }),
      fc.array(fc.integer({ min: 0, max: 40_320 }), { minLength: 20 }),
      async (entries, minutes) => {
        const schedules = entries.map(({ days, startTime, endTime, minutes: durationMinutes, value }) => ({
          type: "Repeating",
          durationMinutes,
          value,
          period: { startTime, days, timezone: "UTC", ...(endTime === undefined ? {} : { endTime }) },
        }));
        const converted = await convertAll(hpa([scheduled("sale")]), schedule(schedules));
        // An object that would have neither metrics nor schedules is refused.
        expect(paths(converted.problems)).toEqual(entries.some(isEverOn) ? [] : ["spec.metrics"]);
        const written = (specOf(converted)["schedules"] ?? []) as readonly ScheduleSpec[];
        const read = readSchedules(written, {
          zone: zoneOffset,
          bounds: { minReplicas: 1, maxReplicas: 20 },
        });
        expect(read.problems).toEqual([]);
        const instants = minutes.map((at) => nowMs + at * 60_000);
        const wrong = instants.filter((atMs) => {
          const value = Math.max(0, ...entries.map((entry) => valueAt(atMs, entry)));
          return (scheduleState(read.schedules, atMs).floor ?? 0) !== Math.ceil(value / 10);
        });
        expect(wrong).toEqual([]);
      },
    ),
    { numRuns: 500 },
  );
});

test("a date is one window, in its year alone; what is over is left out", async () => {
  const converted = await convertAll(
    hpa([scheduled("sale")]),
    schedule([
      { type: "OneTime", date: "2026-11-27T08:00:00+01:00", durationMinutes: 90, value: 100 },
      { type: "OneTime", date: "2028-02-29T08:00:00Z", endDate: "2028-02-29T20:00:00Z", value: 150 },
      { type: "OneTime", date: "2026-05-01T08:00:00Z", durationMinutes: 60, value: 100 },
    ]),
  );
  const written = specOf(converted)["schedules"] as readonly ScheduleSpec[];
  expect(written.map(({ name }) => name)).toEqual(["sale-0", "sale-1"]);
  const { schedules } = readSchedules(written, {
    zone: zoneOffset,
    bounds: { minReplicas: 1, maxReplicas: 20 },
  });
  const at = (text: string) => scheduleState(schedules, Date.parse(text)).floor;
  expect(
    ["2026-11-27T06:59:00Z", "2026-11-27T07:00:00Z", "2026-11-27T08:29:00Z", "2026-11-27T08:30:00Z"].map(at),
  ).toEqual([undefined, 10, 10, undefined]);
  expect(["2027-11-27T07:30:00Z", "2028-02-29T12:00:00Z", "2032-02-29T12:00:00Z"].map(at)).toEqual([
    undefined,
    15,
    undefined,
  ]);
  expect(paths(converted.notes)).toEqual(["spec.schedules[2]"]);
});

test("the window of a schedule, a missing zone, midnight and the maximum are named", async () => {
  const period = { startTime: "23:00", days: ["Mon"] };
  const converted = await convertAll(
    hpa([scheduled("sale")]),
    schedule([{ type: "Repeating", durationMinutes: 120, value: 300, period }], {}),
  );
  expect(specOf(converted)).toMatchObject({
    schedules: [{ timeZone: "Europe/Berlin", start: "0 23 * * MON", end: "0 0 * * *", minReplicas: 20 }],
  });
  expect(specOf(converted)).not.toHaveProperty("metrics");
  expect(paths(converted.notes)).toEqual([
    "spec.metrics[0].object.describedObject.name",
    "spec.scalingWindowDurationMinutes",
    "spec.schedules[0].period.timezone",
    "spec.schedules[0].period",
  ]);
});

test("comments of an HPA stay, and a schedule that no HPA reads is named", async () => {
  const text = `# The app.
${stringify(hpa([], { [`${query}/query`]: "sum(a)" })).replace(
  "metrics: []",
  `metrics:
    # Events of the last minute.
    - type: External
      external:
        metric: {name: events, selector: {matchLabels: {type: prometheus}}}
        target: {type: AverageValue, averageValue: 10} # each`,
)}---
${stringify(schedule([]))}`;
  const { out, errors } = await runConvert(text);
  expect(out).toMatch(/^# The app\.\n/);
  expect(out).toContain("# Events of the last minute.");
  expect(errors).toContain(
    "no HorizontalPodAutoscaler in the files uses this ClusterScalingSchedule, so it is left out: ",
  );
});
