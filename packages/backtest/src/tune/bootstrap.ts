// How sure a saving is: days drawn again in blocks, since neighboring days are alike.
import { randomStream } from "@plimsoll/simulator/parts";
import type { Interval } from "./report.ts";

/** The same day under two specifications. */
export interface PairedDay {
  readonly own: number;
  readonly today: number;
}

const draws = 2000;
/** Of both ends. */
const tail = 0.05;

/**
 * The 90 % interval of 1 − Σ own / Σ today: 2,000 draws of as many days, in circular blocks of about the cube root of
 * their number.
 */
export function savedInterval(days: readonly PairedDay[], seed: number, purpose: string): Interval {
  const stream = randomStream(seed, `${purpose}/bootstrap`);
  const block = blockOf(days.length);
  const found = Float64Array.from({ length: draws }, () => {
    let [own, today] = [0, 0];
    for (let drawn = 0; drawn < days.length; ) {
      const first = Math.floor(stream.uniform() * days.length);
      for (let at = 0; at < block && drawn < days.length; at++, drawn++) {
        const day = days[(first + at) % days.length];
        own += day?.own ?? 0;
        today += day?.today ?? 0;
      }
    }
    return savedPart(own, today);
  }).sort();
  return { low: quantileOf(found, tail), high: quantileOf(found, 1 - tail) };
}

/** Of the pod-hours of today; nothing is saved of nothing. */
export function savedPart(own: number, today: number): number {
  return today === 0 ? 0 : 1 - own / today;
}

function blockOf(days: number): number {
  return Math.max(1, Math.round(Math.cbrt(days)));
}

/** Of ascending values, linear between them. */
export function quantileOf(ascending: ArrayLike<number>, part: number): number {
  const at = (ascending.length - 1) * part;
  const [low, high] = [ascending[Math.floor(at)] ?? 0, ascending[Math.ceil(at)] ?? 0];
  return low + (high - low) * (at - Math.floor(at));
}
