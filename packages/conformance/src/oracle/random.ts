// A seeded random generator.
import { sfc32 } from "@plimsoll/core/internal/values";

/** A seeded source of choices. The same seed always makes the same choices. */
export interface Random {
  /** In [0, 1). */
  fraction(): number;
  /** Both ends included. */
  int(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly [T, ...T[]]): T;
  /** Each choice with its relative weight. */
  weighted<T>(choices: readonly [readonly [number, T], ...(readonly [number, T])[]]): T;
  /** Decimal digits, the first one not zero. */
  digits(count: number): string;
}

/** Small fast counter generator (sfc32) behind a string hash, so that a seed may say what it is for. */
export function createRandom(seed: string): Random {
  const next = sfc32(hash(seed, 0x9e37), hash(seed, 0x79b9), hash(seed, 0x7f4a), 1);
  for (let warmUp = 0; warmUp < 12; warmUp += 1) next();
  const fraction = (): number => next() / 0x1_0000_0000;
  const int = (from: number, to: number): number => from + Math.floor(fraction() * (to - from + 1));
  return {
    fraction,
    int,
    chance: (probability) => fraction() < probability,
    pick: (items) => items[int(0, items.length - 1)] ?? items[0],
    weighted: (choices) => {
      let left = fraction() * choices.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, choice] of choices) {
        left -= weight;
        if (left < 0) return choice;
      }
      return choices[0][1];
    },
    digits: (count) => Array.from({ length: count }, (_, at) => String(int(at === 0 ? 1 : 0, 9))).join(""),
  };
}

function hash(text: string, salt: number): number {
  let value = 0x811c9dc5 ^ salt;
  for (let at = 0; at < text.length; at += 1) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
    value ^= value >>> 15;
  }
  return value;
}
