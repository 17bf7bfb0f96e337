// Ages and times as people read them.
import { instantMs } from "@plimsoll/core";
import { ageText } from "@plimsoll/core/internal/values";

/** The age of an instant on the wire; undefined where that is not a time. */
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
