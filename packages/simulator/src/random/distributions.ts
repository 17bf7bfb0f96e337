// Numbers of the distributions that the models need, out of uniform ones.
import type { Delay } from "./delay.ts";
import type { RandomStream } from "./stream.ts";

/** Box–Muller, without the second number: what one call draws does not depend on the calls before. */
export function standardNormal(stream: RandomStream): number {
  return Math.sqrt(-2 * Math.log(1 - stream.uniform())) * Math.cos(2 * Math.PI * stream.uniform());
}

/** Of this mean. */
export function exponential(stream: RandomStream, mean: number): number {
  return -mean * Math.log(1 - stream.uniform());
}

/** Beyond it a count is drawn from the normal distribution of the same mean and variance. */
const maxExact = 64;

/** How many events of a Poisson process there are where `mean` are expected. */
export function poissonCount(stream: RandomStream, mean: number): number {
  if (mean > maxExact) return Math.max(0, Math.round(mean + Math.sqrt(mean) * standardNormal(stream)));
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = stream.uniform(); product > limit; product *= stream.uniform()) count++;
  return count;
}

/** The 95 % quantile of the standard normal distribution. */
const z95 = 1.6448536269514722;

/** How long it takes this time, in milliseconds. */
export function drawDelay(delay: Delay, stream: RandomStream): number {
  switch (delay.kind) {
    case "fixed":
      return delay.ms;
    case "log-normal": {
      const { medianMs, p95Ms } = delay;
      if (medianMs === 0) return 0;
      return medianMs * Math.exp((Math.log(p95Ms / medianMs) / z95) * standardNormal(stream));
    }
    case "list":
      return delay.ms[Math.floor(stream.uniform() * delay.ms.length)] ?? 0;
  }
}
