// Entries of schedules near days on which something is odd.
import * as fc from "fast-check";
import { readSchedules, type Schedule, type ScheduleSpec } from "../src/decide/schedules/index.ts";
import { formatInstant } from "../src/index.ts";
import { zone } from "./zones.ts";

/** A zone, and a day near which its clocks change; the last has a leap day. */
export const places = [
  ["America/New_York", "2026-03-08"],
  ["America/New_York", "2026-11-01"],
  ["Europe/London", "2026-03-29"],
  ["Europe/London", "2026-10-25"],
  ["America/Sao_Paulo", "2018-11-04"],
  ["America/Sao_Paulo", "2018-02-18"],
  ["Australia/Lord_Howe", "2026-10-04"],
  ["Australia/Lord_Howe", "2026-04-05"],
  ["Pacific/Apia", "2011-12-30"],
  ["Asia/Tehran", "2022-03-22"],
  ["Asia/Tehran", "2022-09-22"],
  ["Africa/Casablanca", "2026-02-15"],
  ["Africa/Casablanca", "2026-03-22"],
  ["Asia/Kathmandu", "2028-02-29"],
  ["UTC", "2026-12-31"],
] as const;

const field = (values: fc.Arbitrary<string>) => fc.oneof(fc.constant("*"), values);
const list = (min: number, max: number) =>
  fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 3 }).map((values) => values.join(","));
const cron = fc
  .tuple(
    fc.oneof(list(0, 59), fc.constantFrom("*/20", "0", "30", "59")),
    fc.oneof(field(list(0, 23)), fc.constantFrom("0", "1", "2", "1-3", "23")),
    field(list(1, 31)),
    fc.oneof({ weight: 4, arbitrary: fc.constant("*") }, { weight: 1, arbitrary: list(1, 12) }),
    field(fc.constantFrom("MON-FRI", "SUN", "6,7", "3")),
  )
  .map((fields) => fields.join(" "));
/** Starts that lead to one another by the hour, by the day, and from one day to the next; or just miss it. */
const joined = fc.record({
  start: fc.constantFrom(
    "0 * * * *",
    "*/20 * * * *",
    "0,30 9-17 * * *",
    "5,50 */2 * * *",
    "30 1-3,23 * * MON-FRI",
  ),
  finish: fc
    .constantFrom("15m", "20m", "30m", "45m", "1h", "1h30m", "2h", "16h", "24h")
    .map((duration) => ({ duration })),
});
/**
 * No day that Apia skipped: excluding it ends and begins a window in one instant, which the state by the clock has and
 * a replay of transitions has not.
 */
const dateNear = (day: string) =>
  fc
    .integer({ min: -5, max: 5 })
    .map((n) => formatInstant(Date.parse(day) + n * 86_400_000).slice(0, 10))
    .filter((date) => date !== "2011-12-30");
/** In five minutes of UTC, so that events begin and end with windows and within them. */
const event = (day: string) =>
  fc.tuple(fc.integer({ min: -1000, max: 1000 }), fc.integer({ min: 1, max: 400 })).map(([from, length]) => {
    const ms = Date.parse(day) + from * 300_000;
    return { calendar: `${ms} ${ms + length * 300_000}` };
  });
const exclusion = (day: string) =>
  fc.oneof(
    event(day),
    fc.record({ date: dateNear(day) }),
    fc.tuple(dateNear(day), dateNear(day)).map((dates) => {
      const [from, to] = dates.toSorted();
      return { from, to };
    }),
    fc.record({ weekdays: fc.uniqueArray(fc.constantFrom("Sat", "SUN", "wed"), { minLength: 1 }) }),
  );
const entry = (timeZone: string, day: string): fc.Arbitrary<Omit<ScheduleSpec, "name">> =>
  fc
    .record({
      times: fc.oneof(
        joined,
        fc.record({ start: cron, finish: cron.map((end) => ({ end })) }),
        fc.record({
          start: cron,
          finish: fc
            .constantFrom("1m", "20m", "1h", "1h30m", "8h30m", "23h", "25h", "72h")
            .map((duration) => ({ duration })),
        }),
      ),
      imposed: fc.oneof(
        fc.record({ minReplicas: fc.integer({ min: 1, max: 20 }) }),
        fc.record({
          maxReplicas: fc.integer({ min: 0, max: 20 }),
          precedence: fc.constantFrom("Floor", "Ceiling"),
        }),
        fc.record({ replicas: fc.integer({ min: 0, max: 20 }) }),
        fc.record({
          minReplicas: fc.integer({ min: 1, max: 20 }),
          ramp: fc.record({
            over: fc.constantFrom("10m", "1h", "23h"),
            steps: fc.integer({ min: 2, max: 6 }),
          }),
        }),
      ),
      exclusions: fc.oneof(fc.constant(undefined), fc.array(exclusion(day), { minLength: 1, maxLength: 3 })),
    })
    .map(({ times: { start, finish }, imposed, exclusions }) => ({
      timeZone,
      start,
      ...finish,
      ...(imposed as Partial<ScheduleSpec>),
      exclusions,
    }));

export const settingAt = (some: readonly (typeof places)[number][]) =>
  fc.constantFrom(...some).chain(([timeZone, day]) =>
    fc.record({
      day: fc.constant(day),
      entries: fc.array(entry(timeZone, day), { minLength: 1, maxLength: 3 }),
      /** Minutes after the day before, and how long to go on from there. */
      offset: fc.integer({ min: -3000, max: 3000 }),
      ahead: fc.integer({ min: 0, max: 6000 }),
    }),
  );

/** Those that can be read, with what was read of them. */
export function schedulesOf(entries: readonly Omit<ScheduleSpec, "name">[]): {
  readonly specs: readonly ScheduleSpec[];
  readonly schedules: readonly Schedule[];
} {
  const specs = entries.map((spec, n) => ({ ...spec, name: `entry-${n}` }));
  const { schedules } = readSchedules(specs, {
    zone,
    bounds: { minReplicas: 2, maxReplicas: 30 },
    calendar: ({ calendar = "" }) => {
      const [fromMs = 0, toMs = 0] = calendar.split(" ").map(Number);
      return { days: [], spans: [{ fromMs, toMs }] };
    },
  });
  const names = new Set(schedules.map(({ name }) => name));
  return { schedules, specs: specs.filter(({ name }) => names.has(name)) };
}
