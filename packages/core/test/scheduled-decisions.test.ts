import { expect, test } from "vitest";
import {
  type DecideInput,
  type Decision,
  decide,
  explain,
  formatInstant,
  type HpaMemory,
  withFailedRescale,
} from "../src/index.ts";
import { readSchedules, type ScheduleSpec, scheduleState, withSchedules } from "../src/schedules/index.ts";
import { cpuUtilization, externalAverage, externalInput, hpaOf, readyPods } from "./fixtures.ts";
import { zone } from "./zones.ts";

/** 12:00 is nowMs of the fixtures. */
const hour = (h: number) => Date.parse("2026-01-01T00:00:00Z") + h * 3_600_000;

const daily = (spec: Partial<ScheduleSpec>): ScheduleSpec => ({
  name: "day",
  timeZone: "UTC",
  start: "0 10 * * *",
  end: "0 14 * * *",
  ...spec,
});

interface World {
  replicas: number;
  memory: HpaMemory | undefined;
  status: Decision["status"] | undefined;
}

interface Setting {
  readonly schedules: readonly ScheduleSpec[];
  readonly spec?: Partial<DecideInput["hpa"]["spec"]>;
  readonly input?: Partial<DecideInput>;
}

/** One evaluation, whose scale is carried out. */
function step(world: World, nowMs: number, { schedules, spec = {}, input = {} }: Setting): Decision {
  const hpa = hpaOf(spec);
  const read = readSchedules(schedules, {
    zone,
    bounds: { minReplicas: hpa.spec.minReplicas ?? 1, maxReplicas: hpa.spec.maxReplicas },
  });
  expect(read.problems).toEqual([]);
  const scale = {
    ok: true,
    specReplicas: world.replicas,
    statusReplicas: world.replicas,
    selector: "app=web",
  } as const;
  const plain: DecideInput = {
    ...externalInput("20", world.replicas, { nowMs, scale, hpa: { ...hpa, status: world.status } }),
    ...input,
  };
  const { decision, memory } = decide(
    withSchedules(plain, scheduleState(read.schedules, nowMs)),
    world.memory,
  );
  world.replicas = decision.scaleTo ?? world.replicas;
  world.memory = memory;
  world.status = decision.status;
  return decision;
}

const start = (replicas: number): World => ({ replicas, memory: undefined, status: undefined });
const failing = { samples: [{ error: "down" }] };

test("a floor raises the minimum, metrics go above it, and it is gone with its end", () => {
  const world = start(2);
  const schedules = [daily({ minReplicas: 6 })];
  const raised = step(world, hour(10), { schedules });
  expect(raised).toMatchObject({
    scaleTo: 6,
    reason: "Current number of replicas below the floor of schedules",
  });
  const more = { input: { samples: [{ values: [{ value: "80" }] }] } };
  expect(step(world, hour(11), { schedules, ...more }).scaleTo).toBe(8);
  // 20 ÷ 10 asks for 2, the floor holds 6; the window of scale-downs is over after an hour.
  expect(step(world, hour(12), { schedules }).scaleTo).toBe(6);
  expect(step(world, hour(13), { schedules }).scaleTo).toBeUndefined();
  expect(step(world, hour(14), { schedules }).scaleTo).toBe(2);
});

test("after its end the stabilization window rules as usual", () => {
  const world = start(2);
  const schedules = [daily({ minReplicas: 6 })];
  const busy = { input: { samples: [{ values: [{ value: "60" }] }] } };
  step(world, hour(13), { schedules, ...busy });
  expect(step(world, hour(14) - 60_000, { schedules, ...busy }).scaleTo).toBeUndefined();
  expect(step(world, hour(14), { schedules }).status.conditions).toContainEqual(
    expect.objectContaining({ type: "AbleToScale", reason: "ScaleDownStabilized" }),
  );
  expect(world.replicas).toBe(6);
  expect(step(world, hour(14) + 300_000, { schedules }).scaleTo).toBe(2);
});

test("a floor holds while every metric fails", () => {
  const world = start(2);
  const setting = { schedules: [daily({ minReplicas: 6 })], input: failing };
  expect(step(world, hour(10), setting).scaleTo).toBe(6);
  expect(step(world, hour(11), setting)).toMatchObject({
    scaleTo: undefined,
    outcome: { error: "internal" },
  });
  expect(world.replicas).toBe(6);
});

test("a ceiling caps what metrics propose, and lowers the minimum where that is above it", () => {
  const world = start(8);
  const schedules = [daily({ maxReplicas: 3 })];
  const busy = { input: { samples: [{ values: [{ value: "80" }] }] } };
  expect(step(world, hour(9), { schedules, ...busy }).scaleTo).toBeUndefined();
  expect(step(world, hour(10), { schedules, ...busy })).toMatchObject({
    scaleTo: 3,
    reason: "Current number of replicas above the ceiling of schedules",
  });
  expect(step(world, hour(11), { schedules, ...busy }).status.conditions).toContainEqual(
    expect.objectContaining({ type: "ScalingLimited", reason: "TooManyReplicas" }),
  );
  const low = start(5);
  expect(
    step(low, hour(10), { schedules: [daily({ maxReplicas: 1 })], spec: { minReplicas: 4 } }).scaleTo,
  ).toBe(1);
  expect(
    step(low, hour(14), { schedules: [daily({ maxReplicas: 1 })], spec: { minReplicas: 4 } }).scaleTo,
  ).toBe(4);
});

const off: Setting = { schedules: [daily({ name: "off", replicas: 0 })] };
const byCpu: Setting = {
  ...off,
  spec: { metrics: [cpuUtilization(50)], minReplicas: 2 },
  input: { samples: [{ pods: [] }], pods: { ok: true, pods: [] } },
};

test.each([
  ["a metric without pods", off],
  ["a metric of pods", byCpu],
  ["failing metrics", { ...byCpu, input: failing }],
])("a schedule that turns a workload off turns it on again: %s", (_, setting) => {
  const world = start(3);
  expect(step(world, hour(10), setting)).toMatchObject({ scaleTo: 0 });
  for (const at of [11, 12, 13]) {
    const decision = step(world, hour(at), setting);
    expect(decision).toMatchObject({ scaleTo: undefined, outcome: { error: "none" } });
    expect(decision.status.conditions).toContainEqual(
      expect.objectContaining({ type: "ScalingActive", status: "True", reason: "ScheduledToZero" }),
    );
  }
  const least = setting.spec?.minReplicas ?? 1;
  expect(step(world, hour(14), setting)).toMatchObject({ scaleTo: least });
  expect(world.status?.conditions).toContainEqual(
    expect.objectContaining({ type: "ScaledToZero", status: "False" }),
  );
});

test("a restart in the middle, of a process that remembers nothing, makes no difference", () => {
  const world = start(3);
  step(world, hour(10), byCpu);
  world.memory = undefined;
  step(world, hour(12), byCpu);
  world.memory = undefined;
  expect(step(world, hour(14), byCpu).scaleTo).toBe(2);
});

test("the status of the switch-off was never written: the zero is still known as ours", () => {
  const world = start(3);
  const before = step(world, hour(9), { ...byCpu, input: failing }).status;
  step(world, hour(10), byCpu);
  world.status = { ...before, desiredReplicas: 3 };
  world.memory = undefined;
  step(world, hour(10) + 15_000, byCpu);
  expect(step(world, hour(14), byCpu).scaleTo).toBe(2);
});

test("a zero that a person set stays, before, in and after schedules", () => {
  const world = start(0);
  const schedules = [
    daily({ name: "off", replicas: 0 }),
    daily({ name: "late", minReplicas: 4, start: "0 15 * * *", end: "0 17 * * *" }),
  ];
  for (const at of [9, 10, 12, 14, 15, 18]) {
    const decision = step(world, hour(at), { ...byCpu, schedules });
    expect(decision.scaleTo).toBeUndefined();
    expect(decision.status.conditions).toContainEqual(
      expect.objectContaining({ type: "ScalingActive", status: "False", reason: "ScalingDisabled" }),
    );
  }
});

test("a target that a person starts while it is off is turned off again, and comes back", () => {
  const world = start(3);
  step(world, hour(10), byCpu);
  world.replicas = 1;
  expect(step(world, hour(11), byCpu).scaleTo).toBe(0);
  expect(step(world, hour(14), byCpu).scaleTo).toBe(2);
});

test("a floor starts what the metrics had scaled to zero, even while they fail", () => {
  const world = start(2);
  const setting: Setting = { schedules: [daily({ minReplicas: 4 })], spec: { minReplicas: 0 } };
  const idle = { input: { samples: [{ values: [{ value: "0" }] }] } };
  step(world, hour(8), { ...setting, ...idle });
  expect(step(world, hour(9), { ...setting, ...idle }).scaleTo).toBe(0);
  expect(step(world, hour(10), { ...setting, input: failing }).scaleTo).toBe(4);
});

test("when switching off failed, the condition does not claim it", () => {
  const hpa = hpaOf({ metrics: [cpuUtilization(50)] });
  const { schedules } = readSchedules(off.schedules, { zone, bounds: { minReplicas: 1, maxReplicas: 10 } });
  const input = withSchedules(externalInput("20", 3, { hpa }), scheduleState(schedules, hour(12)));
  const failed = withFailedRescale(decide(input), "conflict");
  expect(failed.decision.status.conditions.some(({ type }) => type === "ScaledToZero")).toBe(false);
});

test("without metrics the minimum is the count: the schedules', else that of the specification", () => {
  const world = start(5);
  const setting: Setting = {
    schedules: [daily({ minReplicas: 6 })],
    spec: { metrics: undefined, minReplicas: 2 },
    input: { samples: [], pods: { ok: true, pods: readyPods(1) } },
  };
  step(world, hour(8), setting);
  expect(step(world, hour(9), setting)).toMatchObject({ scaleTo: 2, reason: "No schedule asks for more" });
  expect(step(world, hour(10), setting).scaleTo).toBe(6);
  expect(step(world, hour(13), setting)).toMatchObject({ scaleTo: undefined, outcome: { error: "none" } });
  expect(step(world, hour(14), setting).scaleTo).toBe(2);
  expect(world.status?.conditions).toContainEqual(
    expect.objectContaining({ type: "ScalingActive", status: "True", reason: "SchedulesOnly" }),
  );
});

test("without metrics and with minReplicas 0, zero is a count like any other", () => {
  const world = start(0);
  const setting: Setting = {
    schedules: [daily({ minReplicas: 3 })],
    spec: { metrics: [], minReplicas: 0 },
    input: { samples: [] },
  };
  expect(step(world, hour(9), setting).scaleTo).toBeUndefined();
  expect(world.status?.conditions).toContainEqual(
    expect.objectContaining({ type: "ScalingActive", status: "True", reason: "ScheduledToZero" }),
  );
  expect(step(world, hour(10), setting).scaleTo).toBe(3);
  expect(step(world, hour(12), setting).scaleTo).toBeUndefined();
  step(world, hour(14) - 60_000, setting);
  expect(step(world, hour(14), setting).scaleTo).toBeUndefined();
  expect(step(world, hour(15), setting).scaleTo).toBe(0);
});

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
      `  Schedules: the limits [1, 10] become [8, 8]; the next change is at ${formatInstant(hour(10.5))}`,
      `    day: at least 3, rising to 6 by ${formatInstant(hour(11))}, until ${formatInstant(hour(14))}`,
      `    sale: at least 8, until ${formatInstant(hour(14))}`,
      `    freeze: at most 4, until ${formatInstant(hour(14))}`,
      "    A floor of 8 and a ceiling of 4 contradict each other: the floor holds",
    ].join("\n"),
  );
  const later = step(world, hour(15), { schedules });
  expect(explain(later)).toContain("No schedule holds now; the next change is at 2026-01-02T10:00:00Z");
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
    "ScheduleStarted day: at least 6 until 2026-01-01T14:00:00Z; the limits [1, 10] become [6, 10]",
  ]);
  expect(world.status?.conditions).toContainEqual(
    expect.objectContaining({ type: "ScheduleActive", status: "True" }),
  );
  expect(events(11, busy)).toEqual([]);
  expect(events(14, busy)).toEqual(["ScheduleEnded day; the limits are [1, 10]"]);
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
