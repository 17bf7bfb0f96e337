// What a decision was made with, as a step back from what it left: mostly the two differ in one recommendation.
import type { HpaMemory, Recommendation } from "@plimsoll/core";
import { isSameBeside } from "./packed-memory.ts";

/** How to get from the memory after a decision to the one before it. */
export type MemoryStep =
  | { readonly kind: "whole"; readonly before: HpaMemory | undefined }
  /** The last recommendation is new. */
  | "appended"
  /** The recommendation of this index replaced another one. */
  | { readonly kind: "replaced"; readonly index: number; readonly by: Recommendation };

/** The step back from `after` to `before`. */
export function memoryStep(before: HpaMemory | undefined, after: HpaMemory): MemoryStep {
  const whole: MemoryStep = { kind: "whole", before };
  if (before === undefined || !isSameBeside(before, after)) return whole;
  const one = before.recommendations;
  const other = after.recommendations;
  const first = firstDifference(one, other);
  if (other.length === one.length + 1) return first === one.length ? "appended" : whole;
  const by = one[first];
  if (one.length !== other.length || by === undefined) return whole;
  for (let i = first + 1; i < one.length; i++) if (!isSame(one[i], other[i])) return whole;
  return { kind: "replaced", index: first, by };
}

/** The memory before the decision. */
export function memoryBefore(step: MemoryStep, after: HpaMemory): HpaMemory | undefined {
  if (step !== "appended" && step.kind === "whole") return step.before;
  const { recommendations } = after;
  return {
    ...after,
    recommendations:
      step === "appended" ? recommendations.slice(0, -1) : recommendations.with(step.index, step.by),
  };
}

/** The length of the shorter one where it is the beginning of the other. */
function firstDifference(one: readonly Recommendation[], other: readonly Recommendation[]): number {
  const length = Math.min(one.length, other.length);
  for (let i = 0; i < length; i++) if (!isSame(one[i], other[i])) return i;
  return length;
}

function isSame(one: Recommendation | undefined, other: Recommendation | undefined): boolean {
  return one === other || (one?.atMs === other?.atMs && Object.is(one?.replicas, other?.replicas));
}
