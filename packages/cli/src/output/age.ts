// Ages and times as people read them.
import { instantMs } from "@plimsoll/core";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * An age as kubectl prints it: "31s", "4m", "4m10s", "3h5m", "12d".
 * @upstream apimachinery/pkg/util/duration/duration.go#HumanDuration
 */
export function ageText(ageMs: number): string {
  if (ageMs < -second) return "<invalid>";
  if (ageMs < 0) return "0s";
  if (ageMs < 2 * minute) return `${whole(ageMs, second)}s`;
  if (ageMs < 10 * minute) return two(ageMs, [minute, "m"], [second, "s"]);
  if (ageMs < 3 * hour) return `${whole(ageMs, minute)}m`;
  if (ageMs < 8 * hour) return two(ageMs, [hour, "h"], [minute, "m"]);
  if (ageMs < 2 * day) return `${whole(ageMs, hour)}h`;
  if (ageMs < 8 * day) return two(ageMs, [day, "d"], [hour, "h"]);
  if (ageMs < 2 * 365 * day) return `${whole(ageMs, day)}d`;
  if (ageMs < 8 * 365 * day) return two(ageMs, [365 * day, "y"], [day, "d"]);
  return `${whole(ageMs, 365 * day)}y`;
}

/** The age of an instant on the wire; undefined where that is no instant. */
export function ageOf(at: string | undefined | null, nowMs: number): string | undefined {
  const atMs = at === undefined || at === null ? undefined : instantMs(at);
  // The cluster's clock may be a little ahead of this one.
  return atMs === undefined ? undefined : ageText(Math.max(0, nowMs - atMs));
}

/** The time of day in UTC, with the date where that is another one. */
export function timeText(atMs: number, nowMs: number): string {
  const text = new Date(atMs).toISOString();
  const time = text.slice(11, 19);
  return text.slice(0, 10) === new Date(nowMs).toISOString().slice(0, 10)
    ? time
    : `${text.slice(0, 10)} ${time}`;
}

function whole(ms: number, unit: number): number {
  return Math.floor(ms / unit);
}

function two(ms: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const rest = whole(ms % large, small);
  return `${whole(ms, large)}${largeName}${rest === 0 ? "" : `${rest}${smallName}`}`;
}

type Unit = readonly [ms: number, name: string];
