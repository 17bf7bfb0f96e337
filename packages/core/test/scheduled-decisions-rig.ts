// Evaluations of one object with schedules, one after the other.
import { expect } from "vitest";
import {
  readSchedules,
  type ScheduleSpec,
  scheduleState,
  withSchedules,
} from "../src/decide/schedules/index.ts";
import { type DecideInput, type Decision, decide, type HpaMemory } from "../src/index.ts";
import { externalInput, hpaOf } from "./fixtures.ts";
import { zone } from "./zones.ts";

/** 12:00 is nowMs of the fixtures. */
export const hour = (h: number) => Date.parse("2026-01-01T00:00:00Z") + h * 3_600_000;

export const daily = (spec: Partial<ScheduleSpec>): ScheduleSpec => ({
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

export interface Setting {
  readonly schedules: readonly ScheduleSpec[];
  readonly spec?: Partial<DecideInput["hpa"]["spec"]>;
  readonly input?: Partial<DecideInput>;
}

/** One evaluation, whose scale is carried out. */
export function step(world: World, nowMs: number, { schedules, spec = {}, input = {} }: Setting): Decision {
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

export const start = (replicas: number): World => ({ replicas, memory: undefined, status: undefined });
