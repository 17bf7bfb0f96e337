// Numbers that a seed determines: the same seed gives the same actions in the same order.

export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number from `min` to `max`, both included. */
  whole(min: number, max: number): number;
  /** @throws RangeError when there is nothing to pick from. */
  pick<T>(from: readonly T[]): T;
}

/** mulberry32: 32 bits of state are enough to choose actions. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    whole,
    pick(from) {
      const picked = from[whole(0, from.length - 1)];
      if (picked === undefined) throw new RangeError("nothing to pick from");
      return picked;
    },
  };
}
