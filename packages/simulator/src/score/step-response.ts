// How pods follow a step of the load.

import type { ReplicaChange } from "./scores.ts";
import type { Series } from "./series.ts";

/** One step: all times in seconds after it; absent: not before the next step. */
export interface StepResponse {
  readonly atMs: number;
  /** Requests per second before and after. */
  readonly from: number;
  readonly to: number;
  /** Until the first change of the replicas. */
  readonly reaction?: number;
  /** Until nine tenths of the way to the final replicas are gone. */
  readonly rise?: number;
  /** The most replicas over the final ones, as a part of them. */
  readonly overshoot: number;
  /** Until the last change. */
  readonly settling?: number;
}

/** A change of the mean load of one bucket to the next that counts as a step. */
const minStep = 0.25;

/** The steps of the load, as far as the series shows them, and what the replicas did until the next one. */
export function stepResponses(series: Series, changes: readonly ReplicaChange[]): readonly StepResponse[] {
  const steps = stepsOf(series);
  const endMs = series.startMs + series.bucketMs * series.load.length;
  return steps.map((step, index) => {
    const untilMs = steps[index + 1]?.atMs ?? endMs;
    const own = changes.filter(({ atMs }) => atMs >= step.atMs && atMs < untilMs);
    const [first, last] = [own[0], own.at(-1)];
    const seconds = (name: "reaction" | "rise" | "settling", change: ReplicaChange | undefined) =>
      change === undefined ? {} : { [name]: (change.atMs - step.atMs) / 1000 };
    const begin = first?.from ?? 0;
    const final = last?.to ?? begin;
    const isThere = ({ to }: ReplicaChange) => Math.abs(to - begin) >= 0.9 * Math.abs(final - begin);
    const highest = own.reduce((max, { to }) => Math.max(max, to), final);
    return {
      ...step,
      ...seconds("reaction", first),
      ...seconds("rise", own.find(isThere)),
      overshoot: final === 0 ? 0 : (highest - final) / final,
      ...seconds("settling", last),
    };
  });
}

/** Where the load changes by a quarter and then stays; in the middle of a change there is no step. */
function stepsOf({ startMs, bucketMs, load }: Series): readonly Pick<StepResponse, "atMs" | "from" | "to">[] {
  return load.flatMap((to, bucket) => {
    const from = load[bucket - 1];
    const next = load[bucket + 1];
    if (from === undefined || !isStep(from, to) || next === undefined) return [];
    const isSettled = !isStep(to, next) && !isStep(load[bucket - 2] ?? from, from);
    return isSettled ? [{ atMs: startMs + bucket * bucketMs, from, to }] : [];
  });
}

function isStep(from: number, to: number): boolean {
  return Math.abs(to - from) > minStep * Math.max(from, to);
}
