// Generates quantities near the edges of tolerance.
import type { Random } from "../random.ts";

/** A ratio of usage to target, as an exact fraction, so that cases land on the edges of tolerance. */
export type Ratio = readonly [numerator: bigint, denominator: bigint];

/** The tolerance's own edges first: 1 ± 0.1 and a hair to either side. */
export function someRatio(random: Random): Ratio {
  return random.weighted<Ratio>([
    [8, [9n, 10n]],
    [8, [11n, 10n]],
    [8, [1n, 1n]],
    [4, [899n, 1000n]],
    [4, [901n, 1000n]],
    [4, [1099n, 1000n]],
    [4, [1101n, 1000n]],
    [4, [95n, 100n]],
    [4, [105n, 100n]],
    [3, [0n, 1n]],
    [6, [1n, 2n]],
    [6, [2n, 1n]],
    [20, [BigInt(random.int(1, 300)), 100n]],
    [3, [BigInt(random.int(1, 50)), 1n]],
  ]);
}

/** Milli-units as a quantity text, in one of the forms people and metrics servers write. */
export function quantityText(random: Random, milli: bigint): string {
  if (random.chance(0.04)) return `${milli * 1_000_000n - BigInt(random.int(0, 999_999))}n`;
  if (milli % 1000n !== 0n) return `${milli}m`;
  const units = milli / 1000n;
  if (units !== 0n && units % 1024n === 0n && random.chance(0.6)) return `${units / 1024n}Ki`;
  if (units !== 0n && units % 1000n === 0n && random.chance(0.4)) return `${units / 1000n}k`;
  if (random.chance(0.1)) return `${milli}m`;
  return String(units);
}

/** A request, target or load of one pod, in milli-units. Rarely far beyond 2^53. */
export function someAmount(random: Random, resource: string): bigint {
  if (random.chance(0.03)) return BigInt(random.digits(random.int(16, 20)));
  if (resource === "memory") {
    const mebibytes = random.weighted([
      [3, random.pick([64, 128, 256, 512, 1024])],
      [1, random.int(1, 70_000)],
    ]);
    return BigInt(mebibytes) * 1_048_576_000n;
  }
  return BigInt(
    random.weighted([
      [6, random.pick([50, 100, 200, 250, 500, 1000, 2000])],
      [3, random.int(1, 4000)],
      [1, 1],
    ]),
  );
}

/** amount × ratio, at times off by a milli so that truncation shows. */
export function scaled(random: Random, amount: bigint, [numerator, denominator]: Ratio): bigint {
  const exact = (amount * numerator) / denominator;
  return random.chance(0.3) ? exact + BigInt(random.int(-1, 1)) : exact;
}
