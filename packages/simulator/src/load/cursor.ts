// Makes the cursor of a load.
import { poissonCount, standardNormal } from "../random/distributions.ts";
import { randomStream } from "../random/stream.ts";
import { newLine, setLevel, slide } from "./line.ts";
import type { Load, LoadCursor } from "./load.ts";
import { profileCursor, sineCursor, spikeCursor } from "./patterns.ts";
import { pointsCursor } from "./points.ts";

/** What the random parts of a load draw from. */
export interface LoadSeed {
  readonly seed: number;
  /** Such as the name of the workload. */
  readonly purpose: string;
}

/** Reads a load from an instant on. */
export function loadCursor(load: Load, startMs: number, seed: LoadSeed): LoadCursor {
  const cursor = cursorOf(load, startMs, seed);
  cursor.moveTo(startMs);
  return cursor;
}

function cursorOf(load: Load, startMs: number, seed: LoadSeed): LoadCursor {
  const inner = (part: Load, name: string): LoadCursor =>
    loadCursor(part, startMs, { ...seed, purpose: `${seed.purpose}/${name}` });
  switch (load.kind) {
    case "constant":
      return constantCursor(load.perSecond);
    case "points":
      return pointsCursor(load);
    case "sine":
      return sineCursor(load);
    case "profile":
      return profileCursor(load);
    case "spike":
      return spikeCursor(load);
    case "sum":
      return sumCursor(load.parts.map((part, index) => inner(part, String(index))));
    case "noise":
      return noiseCursor(inner(load.of, "of"), load, { startMs, ...seed });
    case "poisson":
      return poissonCursor(inner(load.of, "of"), load.bucketMs, { startMs, ...seed });
  }
}

/** One value. */
function constantCursor(perSecond: number): LoadCursor {
  const line = newLine();
  return Object.assign(line, { moveTo: (atMs: number) => setLevel(line, perSecond, atMs, Infinity) });
}

/** All parts together: a new stretch begins wherever one of them has one. */
function sumCursor(parts: readonly LoadCursor[]): LoadCursor {
  const line = newLine();
  return Object.assign(line, {
    moveTo(atMs: number): void {
      setLevel(line, 0, atMs, Infinity);
      for (const part of parts) {
        part.moveTo(atMs);
        line.perSecond += part.perSecond;
        line.slope += part.slope;
        line.untilMs = Math.min(line.untilMs, part.untilMs);
      }
    },
  });
}

/** Steps in one memory: the noise is constant within a step. */
const stepsPerMemory = 4;

/**
 * The load times 1 + x, where x is an autoregressive process of the first order: its deviation is `deviation`, and the
 * correlation of two values is e^(−Δ/memory). A load is never below zero.
 */
function noiseCursor(
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

/** Rounding may end a stretch where it begins. */
const minMs = 2 ** -10;

/** In each bucket the number of requests is drawn, around what the load has in it; they are spread over the bucket. */
function poissonCursor(
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
