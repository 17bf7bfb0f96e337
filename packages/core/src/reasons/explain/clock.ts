import { formatInstant } from "../../values/time/rfc3339.ts";

/** The time of day in UTC; with its date where that is not the date of `nearMs`. */
export function clockText(ms: number, nearMs?: number): string {
  const text = formatInstant(ms);
  const [date, time] = [text.slice(0, 10), text.slice(11, 19)];
  return nearMs === undefined || formatInstant(nearMs).startsWith(date) ? time : `${date} ${time}`;
}
