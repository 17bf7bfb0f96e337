// Demands over time.
import { expect, test } from "vitest";
import { createDemand, type DemandShape, drawDemand } from "../../src/load/demand.ts";
import { createLoads } from "../../src/load/loads.ts";
import { createRandom } from "../../src/random/random.ts";

test.for<[DemandShape, readonly (readonly [afterMs: number, units: number])[]]>([
  [
    { type: "constant", units: 2 },
    [
      [0, 2],
      [1e6, 2],
    ],
  ],
  [
    { type: "step", units: 2, next: 5, atMs: 100 },
    [
      [99, 2],
      [100, 5],
    ],
  ],
  [
    { type: "sine", units: 2, amplitude: 3, periodMs: 400 },
    [
      [0, 2],
      [100, 5],
      [300, 0],
    ],
  ],
  [
    { type: "spike", units: 2, peak: 9, everyMs: 100, forMs: 10 },
    [
      [5, 9],
      [50, 2],
      [105, 9],
    ],
  ],
])("%o", ([shape, expected]) => {
  const demand = createDemand(shape, createRandom(1));
  for (const [afterMs, units] of expected) expect(demand(afterMs)).toBeCloseTo(units, 9);
});

test("noise is the same whenever it is looked at, and stays between 0 and twice its units, at rest now and then", () => {
  const shape = { type: "noise", units: 3, everyMs: 100 } as const;
  const demand = createDemand(shape, createRandom(1).stream("a"));
  const values = Array.from({ length: 50 }, (_, at) => demand(at * 100));
  expect(Math.min(...values)).toBe(0);
  expect(Math.max(...values)).toBeLessThanOrEqual(6);
  expect(new Set(values).size).toBeGreaterThan(30);
  const other = createDemand(shape, createRandom(1).stream("a"));
  expect(values.toReversed()).toEqual(values.map((_, at) => other((49 - at) * 100)));
});

test("a load that is drawn depends on its own name alone", () => {
  const loads = createLoads({ random: createRandom(7), startMs: 1_000 });
  const others = createLoads({ random: createRandom(7), startMs: 1_000 });
  others.unitsOf("a", "other", 5_000);
  expect(loads.unitsOf("a", "web", 61_000)).toBe(others.unitsOf("a", "web", 61_000));
  for (let seed = 0; seed < 200; seed += 1) {
    const demand = createDemand(drawDemand(createRandom(seed)), createRandom(seed));
    for (const afterMs of [0, 60_000, 3_600_000]) expect(demand(afterMs)).toBeGreaterThanOrEqual(0);
  }
});
