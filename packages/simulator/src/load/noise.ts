// Noise on a load: relative, with a memory.
import { standardNormal } from "../random/distributions.ts";
import { randomStream } from "../random/stream.ts";
import { newLine, setLevel } from "./line.ts";
import type { LoadCursor } from "./load.ts";

/** Steps in one memory: the noise is constant within a step. */
const stepsPerMemory = 4;

/**
 * The load times 1 + x, where x is an autoregressive process of the first order: its deviation is `deviation`, and the
 * correlation of two values is e^(−Δ/memory). A load is never below zero.
 */
export function noiseCursor(
  of: LoadCursor,
  { deviation, memoryMs }: { readonly deviation: number; readonly memoryMs: number },
  from: { readonly startMs: number; readonly seed: number; readonly purpose: string },
): LoadCursor {
  const line = newLine();
  const stream = randomStream(from.seed, `${from.purpose}/noise`);
  const stepMs = memoryMs / stepsPerMemory;
  const kept = Math.exp(-1 / stepsPerMemory);
  const added = deviation * Math.sqrt(1 - kept * kept);
  let noise = deviation * standardNormal(stream);
  let step = 0;
  return Object.assign(line, {
    moveTo(atMs: number): void {
      for (; from.startMs + (step + 1) * stepMs <= atMs; step++)
        noise = kept * noise + added * standardNormal(stream);
      of.moveTo(atMs);
      const factor = Math.max(0, 1 + noise);
      setLevel(line, of.perSecond * factor, atMs, Math.min(of.untilMs, from.startMs + (step + 1) * stepMs));
      line.slope = of.slope * factor;
    },
  });
}
