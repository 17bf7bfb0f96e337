// How much work a workload has over time.
import { minuteMs } from "@plimsoll/core/internal/values";
import type { Random } from "../random/random.ts";

/**
 * A demand over time. One unit is what one pod carries well: a core, a thousand requests per second. Times are in
 * milliseconds after the start.
 */
export type DemandShape =
  | { readonly type: "constant"; readonly units: number }
  | { readonly type: "step"; readonly units: number; readonly next: number; readonly atMs: number }
  | { readonly type: "sine"; readonly units: number; readonly amplitude: number; readonly periodMs: number }
  | {
      readonly type: "spike";
      readonly units: number;
      readonly peak: number;
      readonly everyMs: number;
      readonly forMs: number;
    }
  /** Another value between 0 and twice the units in each interval, now and then 0. */
  | { readonly type: "noise"; readonly units: number; readonly everyMs: number };

/** The demand at a moment after the start; never below 0. */
export type Demand = (afterMs: number) => number;

/** @param random Of this demand alone: noise is a function of it and of the interval. */
export function createDemand(shape: DemandShape, random: Random): Demand {
  switch (shape.type) {
    case "constant":
      return () => shape.units;
    case "step":
      return (afterMs) => (afterMs < shape.atMs ? shape.units : shape.next);
    case "sine":
      return (afterMs) =>
        Math.max(0, shape.units + shape.amplitude * Math.sin((2 * Math.PI * afterMs) / shape.periodMs));
    case "spike":
      return (afterMs) => (afterMs % shape.everyMs < shape.forMs ? shape.peak : shape.units);
    case "noise":
      return createNoise(shape.units, shape.everyMs, random);
  }
}

function createNoise(units: number, everyMs: number, random: Random): Demand {
  let interval = Number.NaN;
  let value = 0;
  return (afterMs) => {
    const wanted = Math.floor(afterMs / everyMs);
    if (wanted !== interval) {
      interval = wanted;
      value = Math.max(0, units * (2.4 * random.stream(String(wanted)).next() - 0.4));
    }
    return value;
  };
}

const types = ["constant", "step", "sine", "spike", "noise"] as const;

/** Draws a demand that a few pods carry. */
export function drawDemand(random: Random): DemandShape {
  const units = random.between(5, 60) / 10;
  switch (random.pick(types)) {
    case "constant":
      return { type: "constant", units };
    case "step":
      return {
        type: "step",
        units,
        next: random.between(0, 100) / 10,
        atMs: minuteMs * random.between(2, 50),
      };
    case "sine":
      return {
        type: "sine",
        units,
        // Above the units it rests for a part of each period.
        amplitude: 1.5 * units * random.next(),
        periodMs: minuteMs * random.between(5, 60),
      };
    case "spike":
      return {
        type: "spike",
        // Some work comes only now and then.
        units: random.chance(0.6) ? 0 : units,
        peak: units * random.between(2, 4),
        everyMs: minuteMs * random.between(8, 30),
        forMs: minuteMs * random.between(1, 5),
      };
    case "noise":
      return { type: "noise", units, everyMs: 15_000 * random.between(1, 20) };
  }
}
