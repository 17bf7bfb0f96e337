// Loads of whole requests, as a Poisson process has them.
import { poissonCount } from "../random/distributions.ts";
import { randomStream } from "../random/stream.ts";
import { newLine, setLevel, slide } from "./line.ts";
import type { LoadCursor } from "./load.ts";

/** Rounding may end a stretch where it begins. */
const minMs = 2 ** -10;

/** In each bucket the number of requests is drawn, around what the load has in it; they are spread over the bucket. */
export function poissonCursor(
  of: LoadCursor,
  bucketMs: number,
  from: { readonly startMs: number; readonly seed: number; readonly purpose: string },
): LoadCursor {
  const line = newLine();
  const stream = randomStream(from.seed, `${from.purpose}/poisson`);
  /** Up to where the inner load is read. */
  const read = { ms: from.startMs };
  /** The mean of the next bucket. */
  const expected = (): number => {
    const untilMs = read.ms + bucketMs;
    let requests = 0;
    while (read.ms < untilMs) {
      of.moveTo(read.ms);
      const toMs = Math.min(Math.max(of.untilMs, read.ms + minMs), untilMs);
      const seconds = (toMs - read.ms) / 1000;
      requests += (of.perSecond + (of.slope * seconds) / 2) * seconds;
      read.ms = toMs;
    }
    return requests;
  };
  return Object.assign(line, {
    moveTo(atMs: number): void {
      if (atMs < line.untilMs) return slide(line, atMs);
      while (read.ms <= atMs) {
        const count = poissonCount(stream, expected());
        setLevel(line, count / (bucketMs / 1000), atMs, read.ms);
      }
    },
  });
}
