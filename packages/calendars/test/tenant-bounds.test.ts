import { manualClock } from "@plimsoll/component-base/testing";
import type { ScheduleSpec } from "@plimsoll/core/schedules";
import { expect, test } from "vitest";
import { createCalendarBudget } from "../src/calendars/calendar-budget.ts";
import type { CalendarResult, ReadCalendarTask } from "../src/calendars/calendar-tasks.ts";
import { createScheduleReader, type ObjectSchedules } from "../src/reader.ts";
import { shareSchedules } from "../src/shared.ts";
import { workLimits } from "../src/states.ts";

const startMs = Date.parse("2026-06-17T12:00:30Z");
const bounds = { minReplicas: 1, maxReplicas: 50 };
const base = { timeZone: "UTC", start: "0 8 * * *", duration: "1h", minReplicas: 2 };

/** Whatever a text says, it excludes as many hours as it may. */
const manySpans: ReadCalendarTask = ({ text }) => {
  const count = Number(text.split(" ")[0]);
  const spans = Array.from({ length: count }, (_, n) => {
    const fromMs = startMs + n * 7_200_000;
    return { fromMs, toMs: fromMs + 3_600_000 };
  });
  return { days: [], spans };
};

function createWorld(options: { readonly max?: number; readonly runTask?: ReadCalendarTask } = {}) {
  const clock = manualClock(startMs);
  const woken: string[] = [];
  const made = shareSchedules({ clock, calendarDirectory: undefined, runTask: options.runTask ?? manySpans });
  const shared = { ...made, budget: createCalendarBudget(options.max) };
  const reader = createScheduleReader({ ...shared, onRead: (key) => void woken.push(key) });
  return {
    ...shared,
    clock,
    woken,
    reader,
    read: (key: string, specs: readonly ScheduleSpec[]) =>
      reader.read(key, specs, { bounds, nowMs: clock.nowMs() }),
  };
}

const withCalendars = (...texts: readonly string[]): readonly ScheduleSpec[] =>
  texts.map((calendar, n) => ({ ...base, name: `entry ${n}`, exclusions: [{ calendar }] }));

const bytesOf = (reads: readonly ObjectSchedules[]) =>
  reads
    .flatMap(({ schedules }) => schedules)
    .reduce((sum, { exclusions: { days, spans } }) => sum + days.byteLength + spans.byteLength, 0);

test("a thousand objects of one namespace keep what all objects may keep, and the calendar of another is read", () => {
  const { read, budget, woken } = createWorld({ max: 100_000 });
  const specs = new Map<string, readonly ScheduleSpec[]>();
  for (let n = 0; n < 1000; n++)
    specs.set(`hostile/${n}`, withCalendars(`2000 a${n}`, `2000 b${n}`, `2000 c${n}`));
  const all = () => [...specs].map(([key, own]) => read(key, own));
  expect(bytesOf(all())).toBeLessThanOrEqual(1_600_000);
  expect(read("hostile/999", specs.get("hostile/999") ?? []).problems[0]).toMatchObject({
    message: expect.stringContaining("4000000 days and spans") as string,
    remedy: expect.stringContaining("remove what") as string,
  });

  for (let n = 0; n < 20; n++) specs.set(`victim/${n}`, withCalendars(`60 v${n}`));
  // Who had to give room is read once more when it is woken.
  all();
  for (let turn = 0; turn < 3; turn++) {
    const reads = all();
    expect(bytesOf(reads)).toBeLessThanOrEqual(1_600_000);
    expect(reads.slice(1000).flatMap(({ problems }) => problems)).toEqual([]);
    expect(bytesOf(reads.slice(1000))).toBe(20 * 60 * 16);
  }
  // None of them takes it back, and none is woken for ever.
  expect(woken.every((key) => key.startsWith("hostile/"))).toBe(true);
  expect(woken.length).toBeLessThan(10);
  expect(budget.kept).toBeLessThanOrEqual(100_000);
});

test("objects that go free their budget, and those refused are read again within ten minutes", async () => {
  const { clock, read, reader, budget } = createWorld({ max: 3000 });
  const [one, two] = [withCalendars("2000 a"), withCalendars("2000 b")];
  expect(read("space/one", one).problems).toEqual([]);
  expect(read("space/two", two).problems).toHaveLength(1);
  reader.drop("space/one");
  expect(budget.kept).toBe(0);
  await clock.advance(600_000);
  expect(read("space/two", two).problems).toEqual([]);
  expect(budget.kept).toBe(2000);
});

test("what is known of a calendar holds until it is read for the new year", async () => {
  let end: (result: CalendarResult) => void = () => {};
  const world = createWorld({ runTask: () => new Promise((resolve) => (end = resolve)) });
  const specs = withCalendars("holidays");
  expect(world.read("space/one", specs).isPending).toBe(true);
  end({ days: [{ from: "2027-01-01", to: "2027-01-01" }], spans: [] });
  await world.clock.advance(0);
  const before = world.read("space/one", specs);
  expect(bytesOf([before])).toBe(16);
  await world.clock.advance(Date.parse("2027-01-01T00:00:01Z") - startMs);
  expect(world.read("space/one", specs)).toBe(before);
  await world.clock.advance(60_000);
  expect(world.read("space/one", specs)).toBe(before);
  end({ days: [], spans: [] });
  await world.clock.advance(0);
  expect(bytesOf([world.read("space/one", specs)])).toBe(0);
});

test("thousands of wrong exclusions keep ten problems for an entry", () => {
  const { read } = createWorld();
  const exclusions = Array.from({ length: 5000 }, () => ({ date: "2026-02-30" }));
  const { problems, schedules } = read("space/one", [{ ...base, name: "wrong", exclusions }]);
  expect(problems).toHaveLength(10);
  expect(schedules).toEqual([]);
});

test("a thousand objects with fifty worst entries take what their namespace may, and no other waits", async () => {
  const { clock, read, states } = createWorld();
  const worst = Array.from({ length: 50 }, (_, n) => ({
    ...base,
    name: `worst ${n}`,
    start: "* * * * *",
    duration: "1s",
    minReplicas: 50,
    ramp: { over: "1s", steps: 100 },
  }));
  const hostile = Array.from({ length: 1000 }, (_, n) => ({
    key: `hostile/${n}`,
    schedules: read(`hostile/${n}`, [...worst]).schedules,
  }));
  let computed = 0;
  const look = () => {
    for (const { key, schedules } of hostile) {
      if (!states.isReady(key, schedules)) continue;
      const nowMs = clock.nowMs();
      if (states.stateOf(key, schedules, nowMs).atMs === nowMs) computed++;
    }
  };
  const least = 50 * 120;
  look();
  expect(computed).toBeLessThanOrEqual(workLimits.burst / least + 1);
  const atOnce = computed;
  for (let n = 0; n < 60; n++) {
    await clock.advance(1000);
    look();
  }
  expect(computed - atOnce).toBeGreaterThan(60);
  expect(computed - atOnce).toBeLessThanOrEqual((60 * workLimits.perSecond) / least + 60);
  const { schedules } = read("victim/one", [{ ...base, name: "hours" }]);
  expect(states.isReady("victim/one", schedules)).toBe(true);
  expect(states.stateOf("victim/one", schedules, clock.nowMs()).atMs).toBe(clock.nowMs());
});
