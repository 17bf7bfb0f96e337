// Random numbers that are functions of a seed.

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
