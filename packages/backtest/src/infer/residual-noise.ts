// What samples average away: noise with a memory, fitted to what is left of it between neighboring means, and put back.
import type { PointsLoad } from "@plimsoll/simulator";
import { randomStream, standardNormal } from "@plimsoll/simulator/parts";
import type { InferredSeries } from "./series.ts";

/** Relative noise whose values e^(−Δ/memory) of each other remember. */
export interface ResidualNoise {
  /** Of the load, such as 0.05. */
  readonly deviation: number;
  readonly memoryMs: number;
  /** The means that it was fitted to are over so long. */
  readonly bucketMs: number;
  /** The memory is too short for these means: the risk is higher than what is drawn. */
  readonly isAtLeast: boolean;
}

/** Memories that are tried, as multiples of a bucket. */
const [minMemory, maxMemory, triedMemories] = [0.02, 40, 200];
const scales = [1, 2, 4];
/** Fewer differences say nothing. */
const minDifferences = 20;
/** Means over so long have lost the noise, whatever is found. */
const longBucketMs = 60_000;

/** Undefined where there is none, or too little to see it. */
export function fitResidualNoise({
  perSecond,
  bucketMs,
  resolutionMs,
}: Pick<InferredSeries, "perSecond" | "bucketMs" | "resolutionMs">): ResidualNoise | undefined {
  const buckets = Math.max(1, Math.round(resolutionMs / bucketMs));
  const squares = scales.map((scale) => meanSquare(meansOf(perSecond, buckets * scale)));
  if (squares.some((square) => square === undefined || square <= 0)) return undefined;
  const found = squares.map((square) => Math.log(square ?? 1));
  let best = { error: Infinity, memory: 0, variance: 0 };
  for (let n = 0; n < triedMemories; n++) {
    const memory = minMemory * (maxMemory / minMemory) ** (n / (triedMemories - 1));
    const wanted = scales.map((scale) => Math.log(secondDifference(scale / memory)));
    const offset = mean(found.map((one, at) => one - (wanted[at] ?? 0)));
    const error = mean(found.map((one, at) => (one - (wanted[at] ?? 0) - offset) ** 2));
    if (error < best.error) best = { error, memory, variance: Math.exp(offset) };
  }
  const ownMs = buckets * bucketMs;
  return {
    deviation: Math.sqrt(best.variance),
    memoryMs: best.memory * ownMs,
    bucketMs: ownMs,
    isAtLeast: best.memory < 1 / 3 || ownMs >= longBucketMs,
  };
}

/** E D² of means of noise of variance 1, where a bucket is x memories long. */
export function secondDifference(x: number): number {
  const decay = 1 - Math.exp(-x);
  const c0 = 2 / x - (2 * decay) / (x * x);
  const c1 = (decay * decay) / (x * x);
  const c2 = c1 * Math.exp(-x);
  return 6 * c0 - 8 * c1 + 2 * c2;
}

function meansOf(perSecond: Float64Array, buckets: number): readonly number[] {
  const means: number[] = [];
  for (let at = 0; at + buckets <= perSecond.length; at += buckets) {
    let sum = 0;
    for (let n = at; n < at + buckets; n++) sum += perSecond[n] ?? 0;
    means.push(sum / buckets);
  }
  return means;
}

/** Of second differences, as parts of the load there. */
function meanSquare(means: readonly number[]): number | undefined {
  let [sum, count] = [0, 0];
  for (let at = 1; at + 1 < means.length; at++) {
    const [before, own, after] = [means[at - 1] ?? 0, means[at] ?? 0, means[at + 1] ?? 0];
    const level = (before + 2 * own + after) / 4;
    if (level <= 0) continue;
    sum += ((before - 2 * own + after) / level) ** 2;
    count++;
  }
  return count < minDifferences ? undefined : sum / count;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Noise is constant within a step, of which a memory and a bucket have at least so many. */
const minSteps = 4;
const minStepMs = 1000;

/** The load with noise whose mean over each bucket is zero: the recorded means stay. */
export function withResidualNoise(
  { fromMs, bucketMs, perSecond }: InferredSeries,
  noise: ResidualNoise,
  seed: number,
): PointsLoad {
  const wantedMs = Math.max(minStepMs, Math.min(noise.memoryMs, noise.bucketMs) / minSteps);
  const steps = Math.max(1, Math.ceil(bucketMs / wantedMs));
  const stepMs = bucketMs / steps;
  const stream = randomStream(seed, "residual-noise");
  const kept = Math.exp(-stepMs / noise.memoryMs);
  const added = noise.deviation * Math.sqrt(1 - kept * kept);
  const drawn = new Float64Array(perSecond.length * steps);
  let value = noise.deviation * standardNormal(stream);
  for (let at = 0; at < drawn.length; at++) {
    drawn[at] = value;
    value = kept * value + added * standardNormal(stream);
  }
  const block = steps * Math.max(1, Math.round(noise.bucketMs / bucketMs));
  for (let from = 0; from < drawn.length; from += block) center(drawn.subarray(from, from + block));
  return {
    kind: "points",
    shape: "steps",
    atMs: Array.from(drawn, (_, at) => fromMs + at * stepMs),
    perSecond: Array.from(drawn, (one, at) =>
      Math.max(0, (perSecond[Math.floor(at / steps)] ?? 0) * (1 + one)),
    ),
  };
}

function center(values: Float64Array): void {
  const own = mean([...values]);
  for (const [at, value] of values.entries()) values[at] = value - own;
}
