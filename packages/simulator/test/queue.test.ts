// The queue as a fluid, against closed forms.
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { advanceQueue, firstRoot, type QueueInput, type QueuePiece } from "../src/plant/queue.ts";

function run(inputs: readonly QueueInput[]) {
  const queue = { backlog: 0 };
  const sums = { served: 0, lost: 0, offered: 0, seconds: 0, area: 0, max: 0 };
  const piece = { backlogTo: 0 } as QueuePiece;
  for (const input of inputs) {
    advanceQueue(queue, input, piece, () => {
      sums.served += piece.served;
      sums.lost += piece.lost;
      sums.offered += ((piece.loadFrom + piece.loadTo) / 2) * piece.seconds;
      sums.seconds += piece.seconds;
      sums.area += piece.backlogArea;
      sums.max = Math.max(sums.max, piece.backlogTo);
    });
  }
  return { ...sums, backlog: queue.backlog };
}

const input = (of: Partial<QueueInput>): QueueInput => ({
  seconds: 10,
  load: 0,
  slope: 0,
  capacity: 100,
  limit: Infinity,
  ...of,
});

test("a rectangular overload is a triangle of backlog", () => {
  // 50 more than capacity for 10 s, then 50 less.
  const { area, max, backlog, served } = run([input({ load: 150 }), input({ load: 50, seconds: 20 })]);
  expect({ area, max, backlog, served }).toEqual({ area: 5000, max: 500, backlog: 0, served: 2500 });
});

test("a ramp through the capacity and back", () => {
  // From 0 to 200 and back in 20 s each: above 100 for 20 s, the excess is a triangle of 1,000.
  const up = input({ load: 0, slope: 10, seconds: 20 });
  const down = input({ load: 200, slope: -10, seconds: 20 });
  const { max, backlog, offered, served } = run([up, down]);
  expect(max).toBeCloseTo(1000, 9);
  expect(offered).toBeCloseTo(4000, 9);
  expect(served + backlog).toBeCloseTo(4000, 9);
  // The backlog is there until 100 t − 5 t² = −1,000 after the second crossing; at 10 s it is 500.
  expect(backlog).toBeCloseTo(500, 9);
});

test("what has no room is lost", () => {
  const { lost, backlog, served } = run([input({ load: 150, limit: 200 })]);
  expect({ lost, backlog, served }).toEqual({ lost: 300, backlog: 200, served: 1000 });
  expect(run([input({ load: 150, limit: 0 })])).toMatchObject({ lost: 500, backlog: 0, served: 1000 });
});

test("without pods everything waits", () => {
  expect(run([input({ load: 10, capacity: 0 })])).toMatchObject({ backlog: 100, lost: 0 });
});

test("roots", () => {
  expect(firstRoot(1, -3, 2)).toBe(1);
  expect(firstRoot(1, 3, 2)).toBe(Infinity);
  expect(firstRoot(0, -2, 4)).toBe(2);
  expect(firstRoot(-1, 0, 4)).toBe(2);
  expect(firstRoot(1, 0, 0)).toBe(Infinity);
});

test("served, lost and waiting requests are all that arrived", () => {
  const amount = fc.integer({ min: 0, max: 300 });
  const stretch = fc.record({
    seconds: fc.integer({ min: 1, max: 60 }),
    load: amount,
    to: amount,
    capacity: amount,
    limit: fc.oneof(fc.constant(Infinity), amount),
  });
  assertProperty(
    fc.property(fc.array(stretch, { maxLength: 12 }), (stretches) => {
      const inputs = stretches.map(({ to, ...rest }) => ({
        ...rest,
        slope: (to - rest.load) / rest.seconds,
      }));
      const { served, lost, backlog, offered, seconds } = run(inputs);
      expect(seconds).toBeCloseTo(
        stretches.reduce((sum, one) => sum + one.seconds, 0),
        6,
      );
      expect(served + lost + backlog).toBeCloseTo(offered, 5);
      expect(Math.min(served, lost, backlog)).toBeGreaterThanOrEqual(-1e-6);
    }),
    { numRuns: 1000 },
  );
});

test("more capacity never means more backlog", () => {
  const rate = fc.integer({ min: 0, max: 300 });
  const stretch = fc.record({ seconds: fc.integer({ min: 1, max: 60 }), load: rate, to: rate });
  assertProperty(
    fc.property(fc.array(stretch, { maxLength: 12 }), rate, rate, (stretches, capacity, more) => {
      const inputs = stretches.map(({ to, ...rest }) => ({
        ...rest,
        slope: (to - rest.load) / rest.seconds,
        capacity,
        limit: Infinity,
      }));
      const wider = inputs.map((one) => ({ ...one, capacity: capacity + more }));
      expect(run(wider).backlog).toBeLessThanOrEqual(run(inputs).backlog + 1e-6);
    }),
    { numRuns: 1000 },
  );
});
