// Loads of whole requests, as a Poisson process has them.
import { poissonCount } from "../random/distributions.ts";
import { randomStream } from "../random/stream.ts";
import { newLine, setLevel, slide } from "./line.ts";
import type { LoadCursor } from "./load.ts";

/** Rounding may end a stretch where it begins. */
const leastMs = 2 ** -10;

/** In each bucket the number of requests is drawn, around what the load has in it; they are spread over the bucket. */
export function poissonCursor(
  of: LoadCursor,
  bucketMs: number,
  from: { readonly startMs: number; readonly seed: number; readonly purpose: string },
): LoadCursor {
  const line = newLine();
  const stream = randomStream(from.seed, `${from.purpose}/poisson`);
  let readMs = from.startMs;
  /** The mean of the next bucket. */
  const expected = (): number => {
    const untilMs = readMs + bucketMs;
    let requests = 0;
    while (readMs < untilMs) {
      of.moveTo(readMs);
      const toMs = Math.min(Math.max(of.untilMs, readMs + leastMs), untilMs);
      const seconds = (toMs - readMs) / 1000;
      requests += (of.perSecond + (of.slope * seconds) / 2) * seconds;
      readMs = toMs;
    }
    return requests;
  };
  return Object.assign(line, {
    moveTo(atMs: number): void {
      if (atMs < line.untilMs) return slide(line, atMs);
      while (readMs <= atMs) {
        const count = poissonCount(stream, expected());
        setLevel(line, count / (bucketMs / 1000), atMs, readMs);
      }
    },
  });
}
