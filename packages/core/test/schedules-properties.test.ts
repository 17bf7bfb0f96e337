import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  readSchedules,
  type Schedule,
  type ScheduleSpec,
  type scheduleState,
  upcomingTransitions,
} from "../src/decide/schedules/index.ts";
import { measuredState } from "../src/decide/schedules/state.ts";
import { createWork, type Work } from "../src/decide/schedules/work.ts";
import { formatInstant, type ScheduleState } from "../src/index.ts";
import { zone } from "./zones.ts";

/** What one entry's state may cost, in steps; worst entries are in schedules-cost.test.ts. */
const maxSteps = 2500;
/** What one run of a property may cost: over it, it fails with its seed instead of going on for hours. */
const maxStepsPerRun = 40_000_000;

/** The same as `scheduleState`, which must not cost more than it may. */
function createBudget(): { readonly state: typeof scheduleState } {
  let total = 0;
  return {
    state(schedules, nowMs) {
      const works: Work[] = [];
      const state = measuredState(schedules, nowMs, () => {
        const work = createWork();
        works.push(work);
        return work;
      });
      for (const { spent } of works) {
        total += spent;
        if (spent > maxSteps) throw new Error(`a state at ${nowMs} costs ${spent} steps`);
      }
      if (total > maxStepsPerRun) throw new Error(`this run costs more than ${maxStepsPerRun} steps`);
      return state;
    },
  };
}

/** A zone, and a day near which its clocks change; the last has a leap day. */
const places = [
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
/**
 * No day that Apia skipped: excluding it ends and begins a window in one instant, which the state by the clock has and
 * a replay of transitions has not.
 */
const dateNear = (day: string) =>
  fc
    .integer({ min: -5, max: 5 })
    .map((n) => formatInstant(Date.parse(day) + n * 86_400_000).slice(0, 10))
    .filter((date) => date !== "2011-12-30");
const exclusion = (day: string) =>
  fc.oneof(
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
      start: cron,
      finish: fc.oneof(
        cron.map((end) => ({ end })),
        fc.constantFrom("20m", "1h", "1h30m", "8h30m", "25h", "72h").map((duration) => ({ duration })),
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
    .map(({ start, finish, imposed, exclusions }) => ({
      timeZone,
      start,
      ...finish,
      ...(imposed as Partial<ScheduleSpec>),
      exclusions,
    }));

const setting = fc.constantFrom(...places).chain(([timeZone, day]) =>
  fc.record({
    day: fc.constant(day),
    entries: fc.array(entry(timeZone, day), { minLength: 1, maxLength: 3 }),
    /** Minutes after the day before, and how long to go on from there. */
    offset: fc.integer({ min: -3000, max: 3000 }),
    ahead: fc.integer({ min: 0, max: 6000 }),
  }),
);

function schedulesOf(entries: readonly Omit<ScheduleSpec, "name">[]): readonly Schedule[] {
  const specs = entries.map((spec, n) => ({ ...spec, name: `entry-${n}` }));
  return readSchedules(specs, { zone, bounds: { minReplicas: 2, maxReplicas: 30 } }).schedules;
}

/** Two states without their instants; with beginnings and ends only where both see them. */
function comparable(...states: readonly ScheduleState[]): readonly object[] {
  const isWithinSearch = states.every(
    ({ active, isSearchEnd }) =>
      isSearchEnd !== true &&
      active.every(({ sinceMs, untilMs }) => sinceMs !== undefined && untilMs !== undefined),
  );
  return states.map(({ floor, ceiling, conflict, active, nextMs }) => {
    const bare = active.map(({ name, floor, ceiling, ramp }) => ({ name, floor, ceiling, ramp }));
    return isWithinSearch ? { floor, ceiling, conflict, active, nextMs } : { floor, ceiling, conflict, bare };
  });
}

test("the state by the clock is that of replaying every transition up to then", () => {
  assertProperty(
    fc.property(setting, ({ day, entries, offset, ahead }) => {
      const schedules = schedulesOf(entries);
      const fromMs = Date.parse(day) + offset * 60_000;
      const atMs = fromMs + ahead * 60_000;
      const budget = createBudget();
      let replayed = budget.state(schedules, fromMs);
      for (let changes = 0; ; changes++) {
        // Nothing here changes more often than every minute, and steps of ramps.
        expect(changes).toBeLessThan(50_000);
        const [change] = upcomingTransitions(schedules, replayed.atMs, 1);
        if (change === undefined || change.atMs > atMs) break;
        replayed = change.state;
      }
      const [byClock, byReplay] = comparable(budget.state(schedules, atMs), replayed);
      expect(byClock).toEqual(byReplay);
    }),
    { numRuns: 200 },
  );
});

test("minute by minute, an entry holds just when a plain reading of its fields says so", () => {
  assertProperty(
    fc.property(setting, ({ day, entries, offset }) => {
      const schedules = schedulesOf(entries.slice(0, 1));
      const [schedule] = schedules;
      if (schedule === undefined || schedule.end.kind === "duration") return;
      const spec = entries[0];
      const budget = createBudget();
      const offsetMs = zone(schedule.timeZone) ?? (() => 0);
      // Ten days before, so that most windows are seen to begin; those that were open before are not compared.
      const fromMs = Date.parse(day) + offset * 60_000 - 10 * 86_400_000;
      let isOpen: boolean | undefined;
      let reachedMs = Number.NEGATIVE_INFINITY;
      for (let ms = fromMs; ms < fromMs + 14 * 86_400_000; ms += 60_000) {
        const local = ms + offsetMs(ms);
        // All local minutes that have come since the last look, also those that the clocks skipped.
        const first = Number.isFinite(reachedMs) ? reachedMs + 60_000 : local;
        for (let minute = first; minute <= local; minute += 60_000) {
          if (matches(spec?.end ?? "", minute)) isOpen = false;
          if (matches(spec?.start ?? "", minute)) isOpen = true;
        }
        reachedMs = Math.max(reachedMs, local);
        if (isOpen === undefined) continue;
        const isActive = isOpen && !isExcluded(spec, reachedMs);
        expect([formatInstant(ms), budget.state(schedules, ms).active.length === 1]).toEqual([
          formatInstant(ms),
          isActive,
        ]);
      }
    }),
    { numRuns: 12 },
  );
});

/** A reading of five fields that shares nothing with the one under test. */
function matches(text: string, localMs: number): boolean {
  const at = new Date(localMs);
  const [minute = "", hour = "", dom = "", month = "", dow = ""] = text.split(" ");
  const has = (part: string, value: number): boolean =>
    part.split(",").some((item) => {
      if (item === "*") return true;
      if (item.startsWith("*/")) return value % Number(item.slice(2)) === 0;
      const [low, high = low] = item.replace("MON-FRI", "1-5").replace("SUN", "0").split("-");
      return value >= Number(low) && value <= Number(high);
    });
  const weekday = has(dow, at.getUTCDay()) || (at.getUTCDay() === 0 && has(dow, 7));
  const date = has(dom, at.getUTCDate());
  const isDay = dom === "*" || dow === "*" ? date && weekday : date || weekday;
  return (
    has(minute, at.getUTCMinutes()) &&
    has(hour, at.getUTCHours()) &&
    has(month, at.getUTCMonth() + 1) &&
    isDay
  );
}

function isExcluded(spec: Omit<ScheduleSpec, "name"> | undefined, localMs: number): boolean {
  const day = new Date(localMs).toISOString().slice(0, 10);
  const names = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
  const weekday = names[new Date(localMs).getUTCDay()] ?? "";
  return (spec?.exclusions ?? []).some(
    ({ date, from, to, weekdays }) =>
      date === day ||
      (from !== undefined && to !== undefined && from <= day && day <= to) ||
      weekdays?.some((name) => name.toLowerCase() === weekday),
  );
}

test("between two transitions nothing changes", () => {
  assertProperty(
    fc.property(setting, fc.double({ min: 0, max: 1, noNaN: true }), ({ day, entries, offset }, share) => {
      const schedules = schedulesOf(entries);
      const budget = createBudget();
      const state = budget.state(schedules, Date.parse(day) + offset * 60_000);
      const endMs = state.nextMs ?? state.atMs + 1e12;
      const betweenMs = Math.min(endMs - 1, state.atMs + Math.floor(share * (endMs - state.atMs)));
      const [later, sooner] = comparable(budget.state(schedules, betweenMs), state);
      expect(later).toEqual(sooner);
    }),
    { numRuns: 200 },
  );
});
