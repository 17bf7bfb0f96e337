// Makes the cursor of a load.
import type { Load, LoadCursor } from "./load.ts";
import { noiseCursor } from "./noise.ts";
import { profileCursor, sineCursor, spikeCursor } from "./patterns.ts";
import { pointsCursor } from "./points.ts";
import { poissonCursor } from "./poisson.ts";
import { constantCursor, sumCursor } from "./sum.ts";

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
