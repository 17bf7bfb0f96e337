// Begin and end of a schedule with a duration.
import { isDueOn } from "../../values/cron/due.ts";
import { localAfter, localUntil, timeOfDay } from "../../values/cron/local.ts";
import type { CronFields } from "../../values/cron/schedule.ts";
import { instantOfLocal, reachedLocal, type ZoneOffset } from "../../values/cron/zone.ts";
import { dayMs, hourMs, minuteMs } from "../../values/units.ts";
import type { Run, RunSearch } from "./run-search.ts";
import type { ScheduleEnd } from "./schedule.ts";
import { isSpent, type Work } from "./work.ts";

interface ByDuration {
  readonly start: CronFields;
  readonly end: Extract<ScheduleEnd, { kind: "duration" }>;
  readonly offset: ZoneOffset;
}

/** Where the clocks are set back within a day, most of its parts are still whole. */
const partsOfDay = [dayMs, 4 * hourMs, hourMs];
/** Further than the offsets of two days reach. */
const marginMs = 60 * hourMs;

/** The start before which nothing held. */
export function durationBegin(
  schedule: ByDuration,
  startLocal: number,
  { sinceMs, work }: RunSearch,
): number {
  const { start, end, offset } = schedule;
  const edges = joinedEdges(schedule, work);
  let local = startLocal;
  while (!isSpent(work)) {
    local = overDays(schedule, local, { edges, direction: -1, edgeMs: sinceMs, work });
    const fromMs = instantOfLocal(local, offset);
    if (fromMs <= sinceMs) return sinceMs;
    const before = localUntil(start, local - 1, work);
    if (before === undefined || instantOfLocal(before, offset) + end.durationMs < fromMs) return fromMs;
    const joinedMs = joinedAt(schedule, before);
    local = joinedMs === 0 ? before : (localAfter(start, floorTo(before, joinedMs) - 1, work) ?? before);
  }
  return -Infinity;
}

/** The end of the last of the starts that lead to one another. */
export function durationEnd(
  schedule: ByDuration,
  startLocal: number,
  { untilMs, work }: RunSearch,
): Omit<Run, "fromMs"> {
  const { start, end, offset } = schedule;
  const edges = joinedEdges(schedule, work);
  let local = startLocal;
  for (;;) {
    local = overDays(schedule, local, { edges, direction: 1, edgeMs: untilMs, work });
    const toMs = instantOfLocal(local, offset) + end.durationMs;
    if (toMs >= untilMs || isSpent(work)) return { toMs, isCut: true };
    const joined = localUntil(start, reachedLocal(toMs, offset), work) ?? local;
    const joinedMs = joinedAt(schedule, joined);
    const next =
      joinedMs === 0
        ? joined
        : (localUntil(start, floorTo(joined, joinedMs) + joinedMs - 1000, work) ?? joined);
    if (next <= local) return { toMs, isCut: false };
    local = next;
  }
}

function floorTo(local: number, unitMs: number): number {
  return Math.floor(local / unitMs) * unitMs;
}

/** The stretch around a start in which all starts lead to one another: a day or a part of it, an hour, or 0. */
function joinedAt({ end, offset }: ByDuration, local: number): number {
  // Clocks that are set forward only bring starts nearer to one another.
  const isJoined = (stretchMs: number) => {
    const from = floorTo(local, stretchMs);
    const lastMs = stretchMs - minuteMs;
    return instantOfLocal(from + lastMs, offset) - instantOfLocal(from, offset) <= lastMs;
  };
  if (end.joinsDay) return partsOfDay.find(isJoined) ?? 0;
  return end.joinsHour && isJoined(hourMs) ? hourMs : 0;
}

interface Edges {
  readonly first: number;
  readonly last: number;
}

/** The first and the last start of each day in seconds, where the one leads to the other, and that to the next day. */
function joinedEdges({ start, end }: ByDuration, work: Work): Edges | undefined {
  if (!end.joinsDay) return undefined;
  const first = timeOfDay(start, { from: undefined, direction: 1, work }) ?? 0;
  const last = timeOfDay(start, { from: undefined, direction: -1, work }) ?? 0;
  return dayMs + (first - last) * 1000 <= end.durationMs ? { first, last } : undefined;
}

/** The first or last start of the days around one that lead to one another; they are counted, not gone through. */
function overDays(
  { start, offset }: ByDuration,
  local: number,
  search: {
    readonly edges: Edges | undefined;
    readonly direction: 1 | -1;
    readonly edgeMs: number;
    readonly work: Work;
  },
): number {
  const { edges, direction, edgeMs, work } = search;
  if (edges === undefined) return local;
  const firstDay = Math.floor(local / dayMs);
  const around = offset(firstDay * dayMs - direction * marginMs);
  // Clocks may be set forward and back within a week, which the look beyond the first days does not see.
  if (offset(firstDay * dayMs) !== around) return local;
  let day = firstDay;
  while (!isSpent(work) && (edgeMs - day * dayMs) * direction > -2 * dayMs) {
    work.spent++;
    if (!isDueOn(start, day + direction)) break;
    // Every other day is enough for the margin.
    const isLooked = (day - firstDay) % 2 === 0;
    if (isLooked && offset((day + 1 + 2 * direction) * dayMs + direction * marginMs) !== around) break;
    day += direction;
  }
  if (day === firstDay) return local;
  return day * dayMs + (direction === 1 ? edges.last : edges.first) * 1000;
}
