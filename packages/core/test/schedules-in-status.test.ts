// What a decision says of the schedules: in its trace, status and events.
import { expect, test } from "vitest";
import {
  readSchedules,
  scheduleConditions,
  scheduleEvents,
  scheduleState,
  schedulesStatus,
  withSchedules,
} from "../src/decide/schedules/index.ts";
import {
  type DecideInput,
  type Decision,
  decide,
  explain,
  formatInstant,
  type ScheduleState,
} from "../src/index.ts";
import { externalAverage, externalInput, hpaOf } from "./fixtures.ts";
import { daily, hour, start, step } from "./scheduled-decisions-rig.ts";
import { zone } from "./zones.ts";

test("the trace names the schedules, and explain says what they do", () => {
  const world = start(2);
  const schedules = [
    daily({ minReplicas: 6, ramp: { over: "1h", steps: 3 } }),
    daily({ name: "sale", minReplicas: 8 }),
    daily({ name: "freeze", maxReplicas: 4 }),
  ];
  const decision = step(world, hour(10), { schedules });
  expect(decision.trace).toContainEqual(
    expect.objectContaining({
      kind: "schedules",
      own: { minReplicas: 1, maxReplicas: 10 },
      minReplicas: 8,
      maxReplicas: 8,
    }),
  );
  expect(explain(decision)).toContain(
    [
      `  Schedules: limits change from [1, 10] to [8, 8]; next change at ${formatInstant(hour(10.5))}`,
      `    day: at least 3, rising to 6 by ${formatInstant(hour(11))}, until ${formatInstant(hour(14))}`,
      `    sale: at least 8, until ${formatInstant(hour(14))}`,
      `    freeze: at most 4, until ${formatInstant(hour(14))}`,
      "    The floor 8 is above the ceiling 4: the floor wins",
    ].join("\n"),
  );
  const later = step(world, hour(15), { schedules });
  expect(explain(later)).toContain("No schedule active; next change at 2026-01-02T10:00:00Z");
});

test("the step of the trace has what schedules impose, and nothing that they do not", () => {
  const active = [{ name: "day", floor: 5 }];
  const stepOf = (state: Partial<ScheduleState>) => {
    const base = { atMs: hour(9), floor: undefined, ceiling: undefined, active, nextMs: undefined };
    const input = withSchedules(externalInput("70", 3, { nowMs: hour(9) }), { ...base, ...state });
    return decide(input).decision.trace.find(({ kind }) => kind === "schedules");
  };
  const own = { minReplicas: 1, maxReplicas: 10 };
  const bare = { kind: "schedules", own, active, isWithoutMetrics: false };
  expect(stepOf({})).toStrictEqual({ ...bare, ...own });
  const conflict = { winner: "floor", floor: 6, ceiling: 4 } as const;
  const whole = { floor: 6, ceiling: 6, conflict, nextMs: hour(10), isSearchEnd: true } as const;
  expect(stepOf(whole)).toStrictEqual({ ...bare, minReplicas: 6, maxReplicas: 6, ...whole });
});

test("outside their times schedules leave a decision as it is, but for what it says of them", () => {
  const { schedules } = readSchedules([daily({ replicas: 5 })], {
    zone,
    bounds: { minReplicas: 1, maxReplicas: 10 },
  });
  const input = externalInput("70", 3, { nowMs: hour(9), hpa: hpaOf({ metrics: [externalAverage("10")] }) });
  const scheduled = decide(withSchedules(input, scheduleState(schedules, hour(9))));
  const without = decide(input);
  const trace = scheduled.decision.trace.filter(({ kind }) => kind !== "schedules");
  const { schedules: shown, ...status } = scheduled.decision.status;
  const conditions = status.conditions.filter(({ type }) => !type.startsWith("Schedule"));
  expect({
    ...scheduled,
    decision: { ...scheduled.decision, trace, status: { ...status, conditions } },
  }).toEqual(without);
  expect(shown).toEqual({
    active: [],
    minReplicas: 1,
    maxReplicas: 10,
    nextTransition: "2026-01-01T10:00:00Z",
  });
});

test("a decision announces what schedules begin and end, once, also where the scale cannot be read", () => {
  const world = start(6);
  const schedules = [daily({ minReplicas: 6 })];
  const events = (at: number, input: Partial<DecideInput> = {}) =>
    step(world, hour(at), { schedules, input })
      .events.filter(({ reason }) => reason.startsWith("Schedule"))
      .map(({ reason, message }) => `${reason} ${message}`);
  const busy = { samples: [{ values: [{ value: "60" }] }] };
  expect(events(9, busy)).toEqual([]);
  expect(events(10, { ...busy, scale: { ok: false, message: "down" } })).toEqual([
    "ScheduleStarted day: at least 6 until 2026-01-01T14:00:00Z; limits change from [1, 10] to [6, 10]",
  ]);
  expect(world.status?.conditions).toContainEqual(
    expect.objectContaining({ type: "ScheduleActive", status: "True" }),
  );
  expect(events(11, busy)).toEqual([]);
  expect(events(14, busy)).toEqual(["ScheduleEnded day ended; limits are now [1, 10]"]);
  expect(world.status?.schedules).toMatchObject({ active: [], minReplicas: 1 });
});

test("without schedules nothing of them stays in the status", () => {
  const world = start(6);
  step(world, hour(11), { schedules: [daily({ minReplicas: 6 })] });
  const input = externalInput("60", 6, { nowMs: hour(12) });
  const { decision } = decide({ ...input, hpa: { ...input.hpa, status: world.status } });
  expect(decision.statusChanged).toBe(true);
  expect(decision.status).not.toHaveProperty("schedules");
  expect(decision.status.conditions.some(({ type }) => type.startsWith("Schedule"))).toBe(false);
});

test("entries that do not count are announced with what is wrong", () => {
  const { schedules, problems } = readSchedules([daily({ timeZone: "Nowhere/No" })], {
    zone,
    bounds: { minReplicas: 1, maxReplicas: 10 },
  });
  const plain = externalInput("20", 3, { nowMs: hour(9) });
  const input = withSchedules(plain, scheduleState(schedules, hour(9)));
  const decideInput = { ...input, schedules: input.schedules && { ...input.schedules, problems } };
  const { decision } = decide(decideInput);
  expect(decision.status.conditions).toContainEqual(
    expect.objectContaining({
      type: "SchedulesValid",
      status: "False",
      message: expect.stringContaining("spec.schedules[0].timeZone"),
    }),
  );
  const warnings = (result: Decision) => result.events.filter(({ reason }) => reason === "InvalidSchedule");
  expect(warnings(decision)).toHaveLength(1);
  expect(
    warnings(decide({ ...decideInput, hpa: { ...decideInput.hpa, status: decision.status } }).decision),
  ).toEqual([]);
});

test("status, conditions and events have what each entry imposes, since when and until when", () => {
  const own = { minReplicas: 1, maxReplicas: 10 };
  const active = [
    { name: "floor", floor: 3, sinceMs: hour(8), untilMs: hour(11) },
    { name: "fixed", floor: 5, ceiling: 5, untilMs: hour(12) },
    { name: "both", floor: 4, ceiling: 8 },
  ];
  const state = { atMs: hour(9), floor: 5, ceiling: 5, active, nextMs: hour(11) };
  const problem = { index: 3, name: "odd", path: "[3].ramp", message: "is odd", remedy: "drop it" };
  const problems = [problem, { ...problem, name: "", path: "[4].end", value: "x".repeat(120) }];
  const bounds = {
    own,
    effective: { minReplicas: 5, maxReplicas: 5 },
    isWithoutMetrics: false,
    state,
    problems,
  };
  expect(schedulesStatus(bounds)).toStrictEqual({
    active: [
      { name: "floor", since: "2026-01-01T08:00:00Z", until: "2026-01-01T11:00:00Z", minReplicas: 3 },
      { name: "fixed", until: "2026-01-01T12:00:00Z", minReplicas: 5, maxReplicas: 5 },
      { name: "both", minReplicas: 4, maxReplicas: 8 },
    ],
    minReplicas: 5,
    maxReplicas: 5,
    nextTransition: "2026-01-01T11:00:00Z",
  });
  const limits = "limits change from [1, 10] to [5, 5]";
  const [floor, fixed, both] = [
    "floor: at least 3 until 2026-01-01T11:00:00Z",
    "fixed: exactly 5 until 2026-01-01T12:00:00Z",
    "both: at least 4 and at most 8",
  ] as const;
  const wrong = `odd: spec.schedules[3].ramp is odd: drop it; spec.schedules[4].end "${"x".repeat(99)} is odd: drop it`;
  expect(scheduleConditions(bounds)).toStrictEqual([
    {
      type: "ScheduleActive",
      status: "True",
      reason: "ScheduleActive",
      message: `${floor}; ${fixed}; ${both}; ${limits}`,
    },
    { type: "SchedulesValid", status: "False", reason: "InvalidSchedule", message: wrong },
  ]);
  const started = (entry: string) => ({
    type: "Normal",
    reason: "ScheduleStarted",
    message: `${entry}; ${limits}`,
  });
  const stored = { schedules: { ...own, active: [{ name: "night" }, { name: "both" }] }, conditions: [] };
  expect(scheduleEvents(bounds, stored)).toStrictEqual([
    { type: "Normal", reason: "ScheduleEnded", message: `night ended; ${limits}` },
    started(floor),
    started(fixed),
    { type: "Warning", reason: "InvalidSchedule", message: wrong },
  ]);
  const idle = { ...bounds, effective: own, problems: [], state: { ...state, active: [] } };
  expect(scheduleConditions(idle).map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
    "NoScheduleActive: no schedule active; next change at 2026-01-01T11:00:00Z",
    "Valid: all schedules are valid",
  ]);
  // A search that ended there changes nothing.
  const searched = { ...idle, state: { ...idle.state, isSearchEnd: true as const } };
  expect(scheduleConditions(searched)[0]?.message).toBe("no schedule active");
  expect(schedulesStatus(searched)).toStrictEqual({ active: [], ...own });
});
