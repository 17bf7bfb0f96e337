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
  /** Numbers of failed scrapes, ascending; the last one is still to come. */
  readonly known: number[];
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
  const targets = new Map<number, Target>();
  const drawn = (stream: RandomStream): number =>
    probability >= 1 ? 1 : 1 + Math.floor(Math.log(1 - stream.uniform()) / Math.log(1 - probability));
  const knownUntil = (target: number, scrape: number): readonly number[] => {
    let found = targets.get(target);
    if (found === undefined) {
      const stream = randomStream(seed, `${purpose}/failures`, target);
      found = { stream, known: [drawn(stream) - 1] };
      targets.set(target, found);
    }
    const { known, stream } = found;
    for (let last = known.at(-1) ?? 0; last <= scrape; last = known.at(-1) ?? Infinity)
      known.push(last + drawn(stream));
    while ((known[0] ?? Infinity) < scrape - scrapes) known.shift();
    return known;
  };
  return {
    any: (target, first, end) => knownUntil(target, end).some((scrape) => scrape >= first && scrape < end),
    failed: (target, scrape) => knownUntil(target, scrape).includes(scrape),
  };
}
