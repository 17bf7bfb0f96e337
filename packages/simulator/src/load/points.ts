// Loads that are given as values at instants.
import { newLine, setLevel, setLine, slide } from "./line.ts";
import type { LoadCursor, PointsLoad } from "./load.ts";

/** Reads the points in order; each is passed once. */
export function pointsCursor({ atMs: instants, perSecond, shape }: PointsLoad): LoadCursor {
  const line = newLine();
  const last = instants.length - 1;
  let next = 0;
  const pointAt = (index: number) => ({ ms: instants[index] ?? 0, perSecond: perSecond[index] ?? 0 });
  return Object.assign(line, {
    moveTo(atMs: number): void {
      if (atMs < line.untilMs) return slide(line, atMs);
      while (next <= last && (instants[next] ?? Infinity) <= atMs) next++;
      const after = pointAt(next);
      if (next > last) setLevel(line, perSecond[last] ?? 0, atMs, Infinity);
      else if (next === 0) setLevel(line, shape === "lines" ? after.perSecond : 0, atMs, after.ms);
      else if (shape === "lines") setLine(line, pointAt(next - 1), after, atMs);
      else setLevel(line, perSecond[next - 1] ?? 0, atMs, after.ms);
    },
  });
}
