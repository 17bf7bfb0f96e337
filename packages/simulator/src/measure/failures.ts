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
  /** The last scrape that it was asked for. */
  asked: number;
}

/** So many more targets, and those that are gone are forgotten. */
const targetsPerLook = 1000;

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
  let lookAt = targetsPerLook;
  const drawn = (stream: RandomStream): number =>
    probability >= 1 ? 1 : 1 + Math.floor(Math.log(1 - stream.uniform()) / Math.log(1 - probability));
  const newTarget = (target: number): Target => {
    const stream = randomStream(seed, `${purpose}/failures`, target);
    return { stream, known: [], next: drawn(stream) - 1, asked: 0 };
  };
  /** Who is asked again begins again, and draws the same. */
  const forgetGone = (scrape: number): void => {
    for (const [number, { asked }] of targets) if (asked < scrape - scrapes) targets.delete(number);
    lookAt = targets.size + targetsPerLook;
  };
  const targetOf = (number: number, scrape: number): Target => {
    const known = targets.get(number);
    if (known !== undefined) return known;
    if (targets.size >= lookAt) forgetGone(scrape);
    const target = newTarget(number);
    targets.set(number, target);
    return target;
  };
  const knownUntil = (number: number, scrape: number): readonly number[] => {
    const target = targetOf(number, scrape);
    const { known } = target;
    target.asked = scrape;
    const oldest = scrape - scrapes;
    for (; target.next <= scrape; target.next += drawn(target.stream))
      if (target.next >= oldest) known.push(target.next);
    while (known.length > 0 && (known[0] ?? 0) < oldest) known.shift();
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
