// Scrapes that fail: each target has its own luck.
import { type RandomStream, randomStream } from "../random/stream.ts";

/** Which scrapes of a target failed. */
export interface Failures {
  /** One of the scrapes from `first` to before `end` failed. Targets are asked in the order of time. */
  any(target: number, first: number, end: number): boolean;
  failed(target: number, scrape: number): boolean;
}

const none: Failures = { any: () => false, failed: () => false };

interface Target {
  readonly stream: RandomStream;
  /** Numbers of failed scrapes, ascending. */
  readonly known: number[];
  /** The one that is still to come. */
  next: number;
}

/**
 * Failures of this probability: the distances between them are drawn, so that each costs one number. So many scrapes of a
 * target are looked back at.
 */
export function createFailures(
  probability: number,
  seed: number,
  purpose: string,
  scrapes: number,
): Failures {
  if (probability <= 0) return none;
  // By their number, from −1 on.
  const targets: Target[] = [];
  const drawn = (stream: RandomStream): number =>
    probability >= 1 ? 1 : 1 + Math.floor(Math.log(1 - stream.uniform()) / Math.log(1 - probability));
  const newTarget = (target: number): Target => {
    const stream = randomStream(seed, `${purpose}/failures`, target);
    return { stream, known: [], next: drawn(stream) - 1 };
  };
  const knownUntil = (number: number, scrape: number): readonly number[] => {
    const target = (targets[number + 1] ??= newTarget(number));
    const { known } = target;
    for (; target.next <= scrape; target.next += drawn(target.stream)) known.push(target.next);
    while (known.length > 0 && (known[0] ?? 0) < scrape - scrapes) known.shift();
    return known;
  };
  return {
    any(target, first, end) {
      const known = knownUntil(target, end);
      if (known.length === 0) return false;
      return known.some((scrape) => scrape >= first && scrape < end);
    },
    failed(target, scrape) {
      const known = knownUntil(target, scrape);
      return known.includes(scrape);
    },
  };
}
