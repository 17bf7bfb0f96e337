import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createSchedule, type LoadPoint } from "../../src/load/schedule.ts";
import { loadRig, routerLoad } from "./load-rig.ts";

const pointList = fc
  .array(fc.record({ gapMs: fc.nat(20_000), value: fc.nat(5000) }), { minLength: 1, maxLength: 8 })
  .map((steps) => {
    let atMs = 0;
    return steps.map(({ gapMs, value }) => ({ atMs: (atMs += gapMs), value }));
  });

/** The area by the textbook: each segment's mean height times its width, clipped to the range. */
function areaByHand(points: readonly LoadPoint[], toMs: number): number {
  const first = points[0] ?? { atMs: 0, value: 0 };
  let area = (Math.min(first.atMs, toMs) / 1000) * first.value;
  points.forEach((from, index) => {
    const to = points[index + 1] ?? { atMs: Math.max(toMs, from.atMs), value: from.value };
    const endMs = Math.min(to.atMs, toMs);
    if (endMs <= from.atMs) return;
    const endValue = from.value + ((to.value - from.value) * (endMs - from.atMs)) / (to.atMs - from.atMs);
    area += (((endMs - from.atMs) / 1000) * (from.value + endValue)) / 2;
  });
  return area;
}

test("the integral is the area under the lines, wherever it is cut", () => {
  assertProperty(
    fc.property(
      pointList,
      fc.array(fc.nat(60_000), { maxLength: 6 }),
      fc.nat(200_000),
      (points, cuts, endMs) => {
        const schedule = createSchedule(points);
        const marks = [0, ...cuts.filter((cut) => cut < endMs).toSorted((a, b) => a - b), endMs];
        let sum = 0;
        for (const [index, to] of marks.entries()) sum += schedule.integral(marks[index - 1] ?? 0, to);
        const byHand = areaByHand(points, endMs);
        expect(Math.abs(sum - byHand)).toBeLessThanOrEqual(1e-9 * Math.max(1, byHand));
      },
    ),
  );
});

test("what the pods count adds up to the demand, for any scaling and scraping", async () => {
  await assertProperty(
    fc.asyncProperty(
      pointList,
      fc.array(
        fc.record({ waitMs: fc.nat(7000), replicas: fc.integer({ min: 1, max: 6 }), scrape: fc.boolean() }),
        { maxLength: 8 },
      ),
      async (points, steps) => {
        const rig = await loadRig({ loads: [routerLoad(points)], replicas: 1, readyDelayMs: 300 });
        // The series of pods that are gone count too, so their last value is kept by hand.
        const last = new Map<string, number>();
        rig.store.subscribe(({ resource, object }) => {
          if (resource !== "pods" || object.metadata.deletionTimestamp === undefined) return;
          for (const [key, value] of rig.read()) if (key.startsWith("packets_total{")) last.set(key, value);
        });
        let elapsedMs = 0;
        for (const { waitMs, replicas, scrape } of steps) {
          rig.scaleTo(replicas);
          await rig.clock.advance(waitMs);
          elapsedMs += waitMs;
          if (scrape) rig.read();
        }
        for (const [key, value] of rig.read()) if (key.startsWith("packets_total{")) last.set(key, value);
        const counted = [...last.values()].reduce((total, value) => total + value, 0);
        const demanded = areaByHand(points, elapsedMs);
        expect(Math.abs(counted - demanded)).toBeLessThanOrEqual(1e-9 * Math.max(1, demanded));
      },
    ),
    { numRuns: 60 },
  );
});

test.each([
  [[]],
  [
    [
      { atMs: 5, value: 1 },
      { atMs: 4, value: 1 },
    ],
  ],
  [[{ atMs: 0, value: -1 }]],
  [[{ atMs: 0, value: Number.NaN }]],
])("points %j are refused", (points: LoadPoint[]) => {
  expect(() => createSchedule(points)).toThrow(RangeError);
});
