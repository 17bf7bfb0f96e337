// How the load moves over the days: halves that differ, and days unlike others of their kind.
import type { WholeDay } from "./days.ts";
import type { OutlyingDay, TuneReport } from "./report.ts";
import { groupings, meanOf } from "./seasonal.ts";

const maxChange = 0.3;
const maxRatio = 1.5;
/** Fewer others say nothing. */
const minOthers = 2;

/** The second half of the days beside the first. */
export function trendOf(days: readonly Pick<WholeDay, "mean">[]): TuneReport["trend"] {
  const half = Math.floor(days.length / 2);
  const [first, second] = [days.slice(0, half), days.slice(days.length - half)].map((part) =>
    meanOf(part.map(({ mean }) => mean)),
  );
  const change = first === undefined || second === undefined || first === 0 ? 0 : second / first - 1;
  return { change, isMoving: Math.abs(change) > maxChange };
}

/** Far more, or far less, than the median of weekdays, or of weekends. */
export function outlyingDays(days: readonly WholeDay[]): readonly OutlyingDay[] {
  return days.flatMap((day) => {
    const own = groupings["weekday-weekend"].find(({ weekdays }) => weekdays.includes(day.weekday));
    const others = days
      .filter((other) => other !== day && own?.weekdays.includes(other.weekday) === true)
      .map(({ mean }) => mean)
      .toSorted((a, b) => a - b);
    const usual = others[others.length >>> 1] ?? 0;
    if (others.length < minOthers || usual === 0) return [];
    const ratio = day.mean / usual;
    return ratio > maxRatio || ratio < 1 / maxRatio ? [{ date: day.date, ratio }] : [];
  });
}
