// Loads that are the same all the time, and sums of others.
import { newLine, setLevel } from "./line.ts";
import type { LoadCursor } from "./load.ts";

/** One value. */
export function constantCursor(perSecond: number): LoadCursor {
  const line = newLine();
  return Object.assign(line, { moveTo: (atMs: number) => setLevel(line, perSecond, atMs, Infinity) });
}

/** All parts together: a new stretch begins wherever one of them has one. */
export function sumCursor(parts: readonly LoadCursor[]): LoadCursor {
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
