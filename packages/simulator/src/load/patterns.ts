// Loads that follow a pattern: curves in straight lines of a minute, with the exact values at their ends.
import { dayMs, minuteMs } from "@plimsoll/core/internal/values";
import { instantOfLocal, zoneOffset } from "@plimsoll/core/schedules";
import { newLine, setLevel, setLine, slide } from "./line.ts";
import type { LoadCursor, ProfileLoad, SineLoad, SpikeLoad } from "./load.ts";
import { pointsCursor } from "./points.ts";

/** A curve by its values at whole minutes. */
function curveCursor(valueAt: (ms: number) => number): LoadCursor {
  const line = newLine();
  return Object.assign(line, {
    moveTo(atMs: number): void {
      if (atMs < line.untilMs) return slide(line, atMs);
      const from = Math.floor(atMs / minuteMs) * minuteMs;
      const until = from + minuteMs;
      setLine(line, { ms: from, perSecond: valueAt(from) }, { ms: until, perSecond: valueAt(until) }, atMs);
    },
  });
}

export function sineCursor({ mean, amplitude, periodMs, peakAtMs }: SineLoad): LoadCursor {
  return curveCursor((ms) =>
    Math.max(0, mean + amplitude * Math.cos((2 * Math.PI * (ms - peakAtMs)) / periodMs)),
  );
}

/** In local time, so that a peak stays at its hour when clocks change. An unknown zone is UTC; files are checked before. */
export function profileCursor({ timeZone, repeats, perSecond }: ProfileLoad): LoadCursor {
  const offset = zoneOffset(timeZone) ?? (() => 0);
  const line = newLine();
  const periodMs = repeats === "daily" ? dayMs : 7 * dayMs;
  // 1 January 1970 was a Thursday.
  const originMs = repeats === "daily" ? 0 : 4 * dayMs;
  const stepMs = periodMs / perSecond.length;
  const valueAt = (step: number) =>
    perSecond[((step % perSecond.length) + perSecond.length) % perSecond.length] ?? 0;
  return Object.assign(line, {
    moveTo(atMs: number): void {
      if (atMs < line.untilMs) return slide(line, atMs);
      const localMs = atMs + offset(atMs) - originMs;
      const step = Math.floor(localMs / stepMs);
      const fromMs = atMs - (localMs - step * stepMs);
      // Where clocks change within the step, the line ends where the next local step begins.
      const nextMs = instantOfLocal((step + 1) * stepMs + originMs, offset);
      const untilMs = nextMs > atMs ? nextMs : fromMs + stepMs;
      if (perSecond.length === 1) return setLevel(line, valueAt(0), atMs, Infinity);
      setLine(
        line,
        { ms: Math.min(fromMs, atMs), perSecond: valueAt(step) },
        { ms: untilMs, perSecond: valueAt(step + 1) },
        atMs,
      );
    },
  });
}

export function spikeCursor({ atMs, height, riseMs, holdMs, fallMs }: SpikeLoad): LoadCursor {
  const topMs = atMs + riseMs;
  const fallsMs = topMs + holdMs;
  return pointsCursor({
    kind: "points",
    shape: "lines",
    atMs: [atMs, topMs, fallsMs, fallsMs + fallMs],
    perSecond: [0, height, height, 0],
  });
}
