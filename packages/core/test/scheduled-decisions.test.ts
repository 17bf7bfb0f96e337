import { expect, test } from "vitest";
import { readSchedules, scheduleState, withSchedules } from "../src/decide/schedules/index.ts";
import { decide, withFailedRescale } from "../src/index.ts";
import { cpuUtilization, externalInput, hpaOf, readyPods } from "./fixtures.ts";
import { daily, hour, type Setting, start, step } from "./scheduled-decisions-rig.ts";
import { zone } from "./zones.ts";

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
  // 20 ÷ 10 calls for 2, the floor holds 6; the window of scale-downs is over after an hour.
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

test("a floor starts what is at zero by a rule of releases that do not remember who scaled it there", () => {
  const world = start(0);
  const input = { samples: [{ values: [{ value: "0" }] }], options: { semantics: "1.35" } } as const;
  const setting: Setting = { schedules: [daily({ minReplicas: 4 })], spec: { minReplicas: 0 }, input };
  expect(step(world, hour(9), setting).scaleTo).toBeUndefined();
  expect(step(world, hour(10), setting).scaleTo).toBe(4);
  const atOne = start(0);
  expect(step(atOne, hour(10), { ...setting, spec: { minReplicas: 1 } }).scaleTo).toBeUndefined();
});

test("after its end, metrics wake what a schedule turned off and whose minimum is zero", () => {
  const world = start(3);
  const setting = { ...off, spec: { minReplicas: 0 } };
  expect(step(world, hour(10), setting).scaleTo).toBe(0);
  expect(step(world, hour(12), setting).scaleTo).toBeUndefined();
  expect(step(world, hour(14), setting)).toMatchObject({
    scaleTo: 2,
    reason: "external metric queue(nil) above target",
  });
});

test.each([
  ["True", "ScaledToZero", 2],
  ["False", "ScheduledToZero", undefined],
] as const)("a zero whose condition is %s by %s is not that of a schedule", (status, reason, expected) => {
  const world = start(0);
  world.status = {
    currentReplicas: 0,
    desiredReplicas: 0,
    currentMetrics: null,
    conditions: [{ type: "ScaledToZero", status, reason, message: "" }],
  };
  expect(step(world, hour(9), off).scaleTo).toBe(expected);
});

test("releases without the condition ScaledToZero drop that of a schedule when it ends", () => {
  const world = start(3);
  const setting = { ...byCpu, input: { ...byCpu.input, options: { semantics: "1.35" } } } as Setting;
  step(world, hour(10), setting);
  expect(world.status?.conditions).toContainEqual(expect.objectContaining({ reason: "ScheduledToZero" }));
  expect(step(world, hour(14), setting).scaleTo).toBe(2);
  expect(world.status?.conditions.map(({ type }) => type)).not.toContain("ScaledToZero");
});

test("when switching off failed, the condition does not claim it", () => {
  const hpa = hpaOf({ metrics: [cpuUtilization(50)] });
  const { schedules } = readSchedules(off.schedules, { zone, bounds: { minReplicas: 1, maxReplicas: 10 } });
  const input = withSchedules(externalInput("20", 3, { hpa }), scheduleState(schedules, hour(12)));
  const failed = withFailedRescale(decide(input), "conflict");
  expect(failed.decision.status.conditions.some(({ type }) => type === "ScaledToZero")).toBe(false);
});

test("with adoptsFromZero a floor does not start what someone scaled to zero, where a schedule was not", () => {
  const options = { adoptsFromZero: true };
  const decided = (spec: Parameters<typeof daily>[0]) =>
    step(start(0), hour(11), { schedules: [daily(spec)], input: { options } });
  expect(decided({ maxReplicas: 8 }).scaleTo).toBeUndefined();
  expect(decided({ replicas: 0 }).scaleTo).toBeUndefined();
  expect(decided({ maxReplicas: 8 }).status.conditions).toContainEqual(
    expect.objectContaining({ type: "ScalingActive", reason: "ScalingDisabled" }),
  );
  expect(decided({ replicas: 0 }).status.conditions).toContainEqual(
    expect.objectContaining({ type: "ScalingActive", reason: "ScheduledToZero" }),
  );
});

test("without metrics the minimum is the count: the schedules', else that of the specification", () => {
  const world = start(5);
  const setting: Setting = {
    schedules: [daily({ minReplicas: 6 })],
    spec: { metrics: undefined, minReplicas: 2 },
    input: { samples: [], pods: { ok: true, pods: readyPods(1) } },
  };
  step(world, hour(8), setting);
  expect(step(world, hour(9), setting)).toMatchObject({ scaleTo: 2, reason: "No schedule requires more" });
  expect(step(world, hour(10), setting).scaleTo).toBe(6);
  expect(step(world, hour(13), setting)).toMatchObject({ scaleTo: undefined, outcome: { error: "none" } });
  expect(step(world, hour(14), setting).scaleTo).toBe(2);
  expect(world.status?.conditions).toContainEqual(
    expect.objectContaining({ type: "ScalingActive", status: "True", reason: "SchedulesOnly" }),
  );
  expect(world.status?.currentMetrics).toEqual([]);
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
