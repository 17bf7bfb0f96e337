import type { Arbitrary } from "fast-check";
import * as fc from "fast-check";
import { calendar } from "./calendars.ts";
import { metrics } from "./metrics.ts";
import { int32, listOf, metadata, object, target } from "./words.ts";

const weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

const cron = fc.oneof(
  fc.constantFrom(
    "* * * * *",
    "17 0 * * 3",
    "0 0 29 2 *",
    "0 0 31 2 *",
    "*/7 */5 1-31 * *",
    "0 0 1 1 *",
    "59 23 31 12 7",
  ),
  fc
    .tuple(
      fc.constantFrom("*", "0", "*/13", "0-59", "1,3,5,7,59"),
      fc.constantFrom("*", "0", "2", "0-23"),
      fc.constantFrom("*", "1", "31", "*/2"),
      fc.constantFrom("*", "2", "1-12"),
      fc.constantFrom("*", "0", "MON-FRI", "3"),
    )
    .map((fields) => fields.join(" ")),
  fc.constant({ $text: [{ $repeat: "0,", times: 115 }, "0 0 * * *"] }),
);

const length = fc.constantFrom("1s", "30s", "1m", "24h", "8760h", "999999999h", "0.000001s", "1000000h1s");
const day = fc.constantFrom("0001-01-01", "2026-02-29", "2026-12-25", "9999-12-31");
const timeZone = fc.constantFrom(
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Pacific/Apia",
  "Antarctica/Troll",
  "No/Where",
);

const exclusion: Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.subarray(weekdays, { minLength: 1 }).map((days) => ({ weekdays: days })) },
  { weight: 1, arbitrary: day.map((date) => ({ date })) },
  { weight: 2, arbitrary: fc.tuple(day, day).map(([from, to]) => ({ from, to })) },
  { weight: 4, arbitrary: calendar.map((text) => ({ calendar: text })) },
  { weight: 1, arbitrary: fc.constant({ calendarName: "no-such-file" }) },
);

const bounds = fc.oneof(
  int32.map((minReplicas) => ({ minReplicas: Math.min(minReplicas, 10) })),
  fc.constantFrom(0, 1, 10).map((maxReplicas) => ({ maxReplicas })),
  fc.constantFrom(0, 3).map((replicas) => ({ replicas })),
);

const entry = fc
  .record({
    timeZone,
    start: cron,
    end: fc.oneof(
      cron.map((end) => ({ end })),
      length.map((duration) => ({ duration })),
    ),
    bounds,
    ramp: fc.option(fc.tuple(length, fc.constantFrom(2, 5, 100)), { nil: undefined }),
    exclusions: fc.array(exclusion, { maxLength: 3 }),
    manyDays: fc.option(
      listOf(
        day.map((date) => ({ date })),
        100,
      ),
      { nil: undefined },
    ),
  })
  .map(({ timeZone, start, end, bounds, ramp, exclusions, manyDays }) => ({
    name: "entry-{i}",
    timeZone,
    start,
    ...end,
    ...bounds,
    ...(ramp === undefined || "maxReplicas" in bounds ? {} : { ramp: { over: ramp[0], steps: ramp[1] } }),
    ...(manyDays !== undefined ? { exclusions: manyDays } : exclusions.length > 0 ? { exclusions } : {}),
  }));

const tuning = fc.oneof(
  fc.constant({}),
  fc.record({
    tuning: fc.constantFrom(
      { syncPeriodSeconds: 1 },
      { tolerance: "1e-9" },
      { downscaleStabilizationSeconds: 3600 },
    ),
  }),
);

/** Within the limits of the schema. */
export const workloadAutoscaler = object(
  "autoscaling.plimsoll.dev/v1alpha1",
  "WorkloadAutoscaler",
  fc
    .record({
      scaleTargetRef: target,
      schedules: fc.oneof(listOf(entry, 5), listOf(entry, 50)),
      metrics: fc.option(metrics(100), { nil: undefined }),
      more: tuning,
    })
    .map(({ scaleTargetRef, schedules, metrics, more }) => ({
      scaleTargetRef,
      minReplicas: 1,
      maxReplicas: 10,
      schedules,
      ...(metrics === undefined ? {} : { metrics }),
      ...more,
    })),
  metadata,
);
