// Random numbers that are functions of a seed.
import { sfc32 } from "@plimsoll/core/internal/values";

export interface Random {
  /** 0 ≤ x < 1. */
  next(): number;
  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  pick<T>(list: readonly [T, ...T[]]): T;
  /** A stream of its own: what others draw does not change it, so that a scenario can lose events and stay otherwise the same. */
  stream(name: string): Random;
}

export function createRandom(seed: number): Random {
  return randomOf(mix(seed >>> 0, 0x9e3779b9), mix(Math.floor(seed / 2 ** 32) >>> 0, 0x85ebca6b));
}

/** The numbers of one key. */
function randomOf(high: number, low: number): Random {
  const next32 = sfc32(high, low, 0x2545f491, 1);
  for (let round = 0; round < 8; round += 1) next32();

  const random: Random = {
    next: () => next32() / 2 ** 32,
    between: (min, max) => min + Math.floor((next32() / 2 ** 32) * (max - min + 1)),
    chance: (probability) => next32() / 2 ** 32 < probability,
    pick: (list) => list[random.between(0, list.length - 1)] ?? list[0],
    stream(name) {
      let [one, other] = [high, low];
      for (let at = 0; at < name.length; at += 1) {
        const letter = name.charCodeAt(at);
        one = mix(one, letter);
        other = mix(other, letter ^ 0x5bd1e995);
      }
      return randomOf(mix(one, name.length), mix(other, one));
    },
  };
  return random;
}

function mix(value: number, by: number): number {
  let mixed = Math.imul(value ^ by, 0xcc9e2d51);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x1b873593);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}
