// Noise that samples average away: found in means of it, and put back without a change of these means.
import { randomStream, standardNormal } from "@plimsoll/simulator/parts";
import { startMs } from "@plimsoll/simulator/testing";
import { expect, test } from "vitest";
import { fitResidualNoise, secondDifference, withResidualNoise } from "../../src/infer/residual-noise.ts";

const none = { bridged: [], leftOut: [] };

/** Twenty steps in a bucket: means of a process of the first order, not of a few of its values. */
const steps = 20;

/** Means of 1,000 requests per second with noise, over buckets of some seconds. */
function noisy(deviation: number, memoryMs: number, bucketMs: number) {
  const stream = randomStream(3, "test");
  const kept = Math.exp(-bucketMs / steps / memoryMs);
  let noise = deviation * standardNormal(stream);
  const perSecond = Float64Array.from({ length: 86_400_000 / bucketMs }, () => {
    let sum = 0;
    for (let step = 0; step < steps; step++) {
      sum += noise;
      noise = kept * noise + deviation * Math.sqrt(1 - kept * kept) * standardNormal(stream);
    }
    return 1000 * (1 + sum / steps);
  });
  return { fromMs: startMs, bucketMs, perSecond, resolutionMs: bucketMs, ...none };
}

test("second differences of means follow the formula", () => {
  for (const [memoryMs, bucketMs] of [
    [20_000, 15_000],
    [60_000, 15_000],
    [20_000, 60_000],
  ] as const) {
    const { perSecond } = noisy(0.05, memoryMs, bucketMs);
    let [sum, count] = [0, 0];
    for (let at = 1; at + 1 < perSecond.length; at++, count++) {
      const difference = (perSecond[at - 1] ?? 0) - 2 * (perSecond[at] ?? 0) + (perSecond[at + 1] ?? 0);
      sum += (difference / 1000) ** 2;
    }
    const wanted = 0.05 ** 2 * secondDifference(bucketMs / memoryMs);
    expect(Math.abs(sum / count / wanted - 1)).toBeLessThan(0.1);
  }
});

test.each([
  { memoryMs: 20_000, bucketMs: 15_000, isAtLeast: false },
  { memoryMs: 60_000, bucketMs: 15_000, isAtLeast: false },
  { memoryMs: 60_000, bucketMs: 30_000, isAtLeast: false },
  { memoryMs: 60_000, bucketMs: 60_000, isAtLeast: true },
])(
  "noise with a memory of $memoryMs ms is found in means of $bucketMs ms",
  ({ memoryMs, bucketMs, isAtLeast }) => {
    const found = fitResidualNoise(noisy(0.05, memoryMs, bucketMs));
    expect(found?.isAtLeast).toBe(isAtLeast);
    expect(Math.abs((found?.deviation ?? 0) / 0.05 - 1)).toBeLessThan(0.15);
    expect(Math.abs((found?.memoryMs ?? 0) / memoryMs - 1)).toBeLessThan(0.3);
  },
);

test("a memory far below the means is a lower bound", () => {
  expect(fitResidualNoise(noisy(0.05, 2000, 15_000))?.isAtLeast).toBe(true);
});

test.each([
  ["a load without noise", { perSecond: new Float64Array(1000).fill(5) }],
  ["too few means", { perSecond: Float64Array.from({ length: 30 }, (_, at) => at % 7) }],
])("%s has none", (_, { perSecond }) => {
  expect(fitResidualNoise({ perSecond, bucketMs: 15_000, resolutionMs: 15_000 })).toBeUndefined();
});

test("noise that is put back keeps every mean, and has its deviation within them", () => {
  const series = { ...noisy(0, 20_000, 15_000), resolutionMs: 30_000 };
  const noise = { deviation: 0.05, memoryMs: 20_000, bucketMs: 30_000, isAtLeast: false };
  const { atMs, perSecond } = withResidualNoise(series, noise, 1);
  const stepMs = (atMs[1] ?? 0) - (atMs[0] ?? 0);
  const perBucket = noise.bucketMs / stepMs;
  let squares = 0;
  for (let from = 0; from < perSecond.length; from += perBucket) {
    const own = perSecond.slice(from, from + perBucket);
    expect(own.reduce((sum, one) => sum + one, 0) / own.length).toBeCloseTo(1000, 6);
    squares += own.reduce((sum, one) => sum + (one / 1000 - 1) ** 2, 0);
  }
  const x = noise.bucketMs / noise.memoryMs;
  const ofMeans = 2 / x - (2 * (1 - Math.exp(-x))) / x ** 2;
  const wanted = 0.05 * Math.sqrt(1 - ofMeans);
  expect(Math.abs(Math.sqrt(squares / perSecond.length) / wanted - 1)).toBeLessThan(0.1);
  expect(withResidualNoise(series, noise, 1).perSecond).toEqual(perSecond);
  expect(withResidualNoise(series, noise, 2).perSecond).not.toEqual(perSecond);
});
