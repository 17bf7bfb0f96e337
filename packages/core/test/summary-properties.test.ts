// What holds of every summary.
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decide, summarize, type TraceStep } from "../src/index.ts";
import { afterwards, evaluation, inputOf } from "./evaluations.ts";
import { nowMs } from "./fixtures.ts";
import { contradictions } from "./summary-contradictions.ts";

const runs = { numRuns: 1000, maxSkipsPerRun: 1000 };

test("a summary never contradicts the trace", () => {
  assertProperty(
    fc.property(evaluation, fc.constantFrom("Active", "Shadow", "Paused"), (given, mode) => {
      const { decision } = decide({ ...inputOf(given), mode }, given.memory);
      expect(contradictions(decision)).toEqual([]);
    }),
    runs,
  );
});

test("nothing goes past what holds before notBefore, and the window lets go within its second", () => {
  assertProperty(
    fc.property(evaluation, fc.double({ min: 0, max: 1, noNaN: true }), (given, share) => {
      const input = inputOf(given);
      const result = decide(input, given.memory);
      const { notBefore, heldBy, desired, action } = summarize(result.decision);
      fc.pre(notBefore !== null);
      const untilMs = Date.parse(notBefore);
      const made = afterwards(input, result, desired);
      const later = (ms: number) => decide({ ...made, nowMs: Math.max(nowMs, ms) }, result.memory).decision;
      const then = later(Math.floor(nowMs + share * Math.max(0, untilMs - 1 - nowMs)));
      const direction = Math.sign((summarize(result.decision).proposed ?? desired) - desired);
      expect(Math.sign((then.scaleTo ?? then.currentReplicas) - desired)).not.toBe(direction);
      const windowOf = (trace: readonly TraceStep[]) =>
        trace.find((step) => step.kind === "stabilize")?.result;
      const [before, after] = [result.decision.trace, later(untilMs + 1001).trace].map(windowOf);
      expect(heldBy === "stabilize" && action === "hold" && before === after).toBe(false);
    }),
    runs,
  );
});
