import { expect, test } from "vitest";
import { packMemory } from "../../../src/decisions/packed-memory.ts";
import { followClock } from "../../../src/reconcile/remember/clock-jump.ts";
import type { ObjectState } from "../../../src/reconcile/remember/state.ts";

const nowMs = Date.parse("2026-11-22T10:00:00Z");
const clockAt = (offsetMs: number) => ({
  nowMs: () => nowMs + offsetMs,
  steadyMs: () => 5000,
  after: () => () => undefined,
});
const state = {
  sinceMs: nowMs - 7000,
  clockOffsetMs: nowMs - 5000,
  lastScale: { replicas: 3, atMs: nowMs - 1000 },
  contest: {
    by: "argocd",
    count: 2,
    sinceMs: nowMs - 2000,
    lastMs: nowMs - 1500,
    nextWriteMs: nowMs + 3000,
    quietMs: nowMs + 8000,
  },
  suspect: { lastMs: nowMs - 4000, seen: undefined },
  yielded: { by: "keda", count: 2, sinceMs: nowMs - 6000, lastMs: nowMs - 5000, periodMs: 15_000 },
  former: { by: "keda", count: 1, sinceMs: nowMs - 9000, lastMs: nowMs - 8000, periodMs: 15_000 },
} as object as ObjectState;

test.each([1000, -3_600_000])(
  "when the clock is set by %i ms, every instant stays as long ago as it was",
  (jump) => {
    expect(followClock(state, clockAt(jump))).toEqual({
      sinceMs: nowMs - 7000 + jump,
      clockOffsetMs: nowMs - 5000 + jump,
      memory: undefined,
      lastScale: { replicas: 3, atMs: nowMs - 1000 + jump },
      contest: {
        by: "argocd",
        count: 2,
        sinceMs: nowMs - 2000 + jump,
        lastMs: nowMs - 1500 + jump,
        nextWriteMs: nowMs + 3000 + jump,
        quietMs: nowMs + 8000 + jump,
      },
      suspect: { lastMs: nowMs - 4000 + jump, seen: undefined },
      yielded: {
        by: "keda",
        count: 2,
        sinceMs: nowMs - 6000 + jump,
        lastMs: nowMs - 5000 + jump,
        periodMs: 15_000,
      },
      former: {
        by: "keda",
        count: 1,
        sinceMs: nowMs - 9000 + jump,
        lastMs: nowMs - 8000 + jump,
        periodMs: 15_000,
      },
    });
  },
);

test("a memory that is packed moves too", () => {
  const recommendations = (jumpMs: number) =>
    [1, 2, 3, 4, 5].map((n) => ({ replicas: n, atMs: nowMs - n * 1000 + jumpMs }));
  const events = { scaleUpEvents: [], scaleDownEvents: [] };
  const memory = packMemory({ recommendations: recommendations(0), ...events });
  const moved = followClock({ ...state, memory }, clockAt(60_000));
  expect(moved.memory).toEqual({ recommendations: recommendations(60_000), ...events });
});

test("a clock that is slewed, or that has no steady one beside it, moves nothing", () => {
  expect(followClock(state, clockAt(999))).toBe(state);
  expect(followClock(state, clockAt(-999))).toBe(state);
  const { steadyMs: _, ...wall } = clockAt(3_600_000);
  expect(followClock(state, wall)).toBe(state);
});

test("the first evaluation learns how the clocks stand, and moves nothing", () => {
  const { clockOffsetMs: _, ...fresh } = state;
  expect(followClock(fresh as ObjectState, clockAt(2000))).toEqual({
    ...fresh,
    clockOffsetMs: nowMs - 3000,
  });
  const bare = { sinceMs: nowMs - 7000, clockOffsetMs: nowMs - 5000 } as ObjectState;
  expect(followClock(bare, clockAt(2000))).toEqual({ sinceMs: nowMs - 5000, clockOffsetMs: nowMs - 3000 });
});
