import { localAfter, localUntil } from "../cron/local.ts";
import { instantOfLocal, reachedLocal } from "../cron/zone.ts";
import { exclusionAt } from "./exclusions.ts";
import type { Schedule } from "./schedule.ts";

/** A stretch of time in which an entry imposes something. */
export interface Window {
  /** Negative infinity where no beginning is in sight. */
  readonly fromMs: number;
  /** The end, not included. */
  readonly toMs: number;
  /** Something follows on at `toMs`: it is no end, and none is in sight. */
  readonly isCut: boolean;
}

/** Runs that follow on from each other without a break; after so many of them one is cut. */
const mostLinks = 400;
/** Windows in a row that are excluded; after so many of them the entry counts as over. */
const mostExcluded = 1000;

/** The window at an instant, or the next one after it; undefined when there is none any more. */
export function windowFrom(schedule: Schedule, atMs: number): Window | undefined {
  const { exclusions, offset } = schedule;
  let cursorMs = atMs;
  for (let turn = 0; turn < mostExcluded; turn++) {
    const run = runFrom(schedule, cursorMs);
    if (run === undefined) return undefined;
    const exclusion = exclusionAt(exclusions, Math.max(run.fromMs, cursorMs), offset);
    if (!exclusion.isExcluded) {
      const toMs = Math.min(run.toMs, exclusion.untilMs ?? run.toMs);
      const isCut = run.isCut && toMs === run.toMs;
      return { fromMs: Math.max(run.fromMs, exclusion.sinceMs), toMs, isCut };
    }
    if (exclusion.untilMs === undefined) return undefined;
    cursorMs = exclusion.untilMs;
  }
  return undefined;
}

/** The same without exclusions: from a start to the end that is followed by no start. */
function runFrom(schedule: Schedule, atMs: number): Window | undefined {
  const { start, offset } = schedule;
  const reached = reachedLocal(atMs, offset);
  const last = localUntil(start, reached);
  if (last !== undefined && endOf(schedule, last) > atMs) {
    return { fromMs: beginOf(schedule, last), ...lastEnd(schedule, last) };
  }
  let next = localAfter(start, reached);
  for (let turn = 0; next !== undefined && turn < mostExcluded; turn++) {
    const fromMs = instantOfLocal(next, offset);
    // Where clocks are set forward, start and end may fall on the same instant.
    if (endOf(schedule, next) > fromMs) return { fromMs, ...lastEnd(schedule, next) };
    next = localAfter(start, next);
  }
  return undefined;
}

/** When what a start opens is over. */
function endOf({ end, offset }: Schedule, startLocal: number): number {
  if (end.kind === "duration") return instantOfLocal(startLocal, offset) + end.durationMs;
  const local = localAfter(end.schedule, startLocal);
  return local === undefined ? Number.POSITIVE_INFINITY : instantOfLocal(local, offset);
}

function lastEnd(schedule: Schedule, startLocal: number): Omit<Window, "fromMs"> {
  const { start, end, offset } = schedule;
  let local = startLocal;
  for (let link = 0; link < mostLinks; link++) {
    const endMs = endOf(schedule, local);
    const next =
      end.kind === "duration"
        ? lastJoined(schedule, localUntil(start, reachedLocal(endMs, offset)) ?? local)
        : localAfter(start, (localAfter(end.schedule, local) ?? 0) - 1);
    if (
      next === undefined ||
      next <= local ||
      (end.kind === "cron" && instantOfLocal(next, offset) > endMs)
    ) {
      return { toMs: endMs, isCut: false };
    }
    local = next;
  }
  return { toMs: endOf(schedule, local), isCut: true };
}

function beginOf(schedule: Schedule, startLocal: number): number {
  const { start, end, offset } = schedule;
  let local = startLocal;
  for (let link = 0; link < mostLinks; link++) {
    if (end.kind === "cron") {
      // All starts since the last end are one; only the first of them counts.
      const ended = localUntil(end.schedule, local);
      local = (ended === undefined ? undefined : localAfter(start, ended - 1)) ?? local;
    }
    const before = localUntil(start, local - 1);
    if (before === undefined || endOf(schedule, before) < instantOfLocal(local, offset)) break;
    local = isJoined(schedule, before) ? (localAfter(start, dayOf(before) - 1) ?? before) : before;
    if (link === mostLinks - 1) return Number.NEGATIVE_INFINITY;
  }
  return instantOfLocal(local, offset);
}

const dayMs = 86_400_000;

function dayOf(local: number): number {
  return Math.floor(local / dayMs) * dayMs;
}

/** All starts of the day lead to one another: a day is one step then, which keeps long runs short. */
function isJoined({ end, offset }: Schedule, local: number): boolean {
  if (end.kind !== "duration" || !end.joinsDay) return false;
  const day = dayOf(local);
  return instantOfLocal(day + dayMs, offset) - instantOfLocal(day, offset) === dayMs;
}

function lastJoined(schedule: Schedule, local: number): number {
  if (!isJoined(schedule, local)) return local;
  return localUntil(schedule.start, dayOf(local) + dayMs - 1) ?? local;
}
