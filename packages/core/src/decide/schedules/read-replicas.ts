// Reads the floor and ceiling of a schedule entry.

import type { ReplicaBounds } from "../../objects/schedules/bounds.ts";
import type { ScheduleSpec } from "../../objects/schedules/spec.ts";
import { parseGoDuration } from "../../values/duration/go-duration.ts";
import { textOf } from "../../values/fields.ts";
import type { EntryReader } from "./reader.ts";
import type { Ramp, Schedule } from "./schedule.ts";

type Imposed = Pick<Schedule, "floor" | "ceiling" | "precedence" | "ramp">;

/** What an entry imposes. */
export function readReplicas(spec: ScheduleSpec, bounds: ReplicaBounds, reader: EntryReader): Imposed {
  const { problem } = reader;
  const count = (field: "minReplicas" | "maxReplicas" | "replicas", least: number) => {
    const value: unknown = spec[field];
    if (value === undefined) return undefined;
    if (typeof value === "number" && Number.isInteger(value) && value >= least && value < 2 ** 31)
      return value;
    problem(field, value, `is not a whole number of at least ${least}`, "set a number of replicas");
    return undefined;
  };
  const [floor, ceiling, fixed] = [count("minReplicas", 1), count("maxReplicas", 0), count("replicas", 0)];
  if (fixed !== undefined && (floor !== undefined || ceiling !== undefined))
    problem("replicas", fixed, "can't be combined with minReplicas or maxReplicas", "set one or the other");
  const given = [spec.minReplicas, spec.maxReplicas, spec.replicas].filter((value) => value !== undefined);
  const missing = "is missing, and so are maxReplicas and replicas";
  if (given.length === 0) problem("minReplicas", undefined, missing, "set at least one of them");
  const lowest = fixed ?? floor;
  if (lowest !== undefined && lowest > bounds.maxReplicas) {
    const path = fixed === undefined ? "minReplicas" : "replicas";
    const remedy = "lower it, or raise spec.maxReplicas";
    problem(path, lowest, `is above spec.maxReplicas, ${bounds.maxReplicas}`, remedy);
  }
  if (floor !== undefined && ceiling !== undefined && floor > ceiling)
    problem("maxReplicas", ceiling, `is below the entry's own minReplicas, ${floor}`, "raise it");
  return {
    floor: lowest,
    ceiling: fixed ?? ceiling,
    precedence: readPrecedence(spec, reader),
    ramp: readRamp(spec, { from: bounds.minReplicas, floor: lowest }, reader),
  };
}

function readPrecedence({ precedence }: ScheduleSpec, { problem }: EntryReader): Schedule["precedence"] {
  if (precedence === undefined || precedence === "Floor") return "Floor";
  if (precedence !== "Ceiling") problem("precedence", precedence, "is unknown", "use Floor or Ceiling");
  return "Ceiling";
}

const maxRampMs = 86_400_000;
const usualSteps = 5;
const maxSteps = 100;

function readRamp(
  { ramp }: ScheduleSpec,
  { from, floor }: { readonly from: number; readonly floor: number | undefined },
  { problem }: EntryReader,
): Ramp | undefined {
  if (ramp === undefined) return undefined;
  if (floor === undefined) problem("ramp", undefined, "has no floor to reach", "set minReplicas or replicas");
  const overMs = parseGoDuration(textOf(ramp.over));
  if (overMs === undefined || overMs < 1000 || overMs > maxRampMs)
    problem("ramp.over", ramp.over, "is not a duration from 1 second to 1 day", 'use a value such as "30m"');
  const steps = ramp.steps ?? usualSteps;
  if (!Number.isInteger(steps) || steps < 2 || steps > maxSteps) {
    problem(
      "ramp.steps",
      ramp.steps,
      `is not a whole number from 2 to ${maxSteps}`,
      "set the number of steps",
    );
  }
  return { overMs: overMs ?? 0, steps, from };
}
