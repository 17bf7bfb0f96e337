import { expect, test } from "vitest";
import {
  boundsWith,
  type ScheduleSpec,
  scheduleState,
  transitionsWithin,
  upcomingTransitions,
} from "../src/decide/schedules/index.ts";
import { formatInstant } from "../src/index.ts";
import { at, changes, read } from "./schedule-rig.ts";

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

test("clocks that are set forward and back within a week end what the second change parts", () => {
  const schedules = read({
    timeZone: "America/Boa_Vista",
    start: "*/15 * * * *",
    end: undefined,
    duration: "22m",
  });
  expect(changes(schedules, "2000-10-10T08:00:00Z", 2)).toEqual([
    "- 2000-10-15T03:07:00Z",
    "+ 2000-10-15T04:00:00Z",
  ]);
});

test("the search for the end of what never ends stays within dates of four digits", () => {
  const schedules = read({ start: "* * * * *", end: "0 0 29 2 *" });
  const range = { fromMs: Date.parse("2026-06-19T00:00:00Z"), toMs: Number.POSITIVE_INFINITY, count: 1 };
  const { transitions, reachedMs } = transitionsWithin(schedules, range);
  expect(transitions).toEqual([]);
  expect(formatInstant(reachedMs)).toBe("9800-01-01T00:00:00Z");
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
