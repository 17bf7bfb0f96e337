// The window in which a schedule entry is active, exclusions applied.
import { localAfter, localUntil } from "../../values/cron/local.ts";
import { instantOfLocal, reachedLocal } from "../../values/cron/zone.ts";
import { yearMs } from "../../values/units.ts";
import { exclusionAt, freeSince } from "./exclusions.ts";
import { endOf, runAround } from "./run.ts";
import type { Schedule } from "./schedule.ts";
import { isSpent, type Work } from "./work.ts";

/** A stretch of time in which an entry imposes something; it may lie ahead. */
export interface Window {
  /** Negative infinity where no beginning was found. */
  readonly fromMs: number;
  /** The end, not included; undefined where the window lies ahead. */
  readonly toMs: number | undefined;
  /**
   * The search ended. Of a window that has begun: it goes on at `toMs`, and no end was found. Of one that lies
   * ahead: there is none before `fromMs`, and whether there is one then is unknown.
   */
  readonly isCut: boolean;
}

/** What a search by cron fields covers at least when it finds nothing. */
const searchedMs = 8 * yearMs;
/** What lies further ahead is of no interest now. */
const maxAheadMs = 100 * yearMs;

/** The window at an instant, or the next one after it. */
export function windowFrom(schedule: Schedule, atMs: number, work: Work): Window {
  const counted = countedSchedule(schedule, work);
  const { exclusions, offset } = counted;
  let cursorMs = atMs;
  // Each turn passes a whole stretch that is excluded, or in which nothing starts.
  do {
    const exclusion = exclusionAt(exclusions, cursorMs, { offset, work });
    if (exclusion.isExcluded) {
      cursorMs = exclusion.untilMs;
      continue;
    }
    const reached = reachedLocal(cursorMs, offset);
    const last = localUntil(counted.start, reached, work);
    if (last !== undefined && endOf(counted, last, work) > cursorMs) {
      if (cursorMs > atMs) return ahead(cursorMs);
      const sinceMs = freeSince(exclusions, atMs, { offset, work });
      return runAround(counted, last, { sinceMs, untilMs: exclusion.untilMs, work });
    }
    const next = nextStart(counted, reached, work);
    if (next === undefined) return { ...ahead(cursorMs + searchedMs), isCut: true };
    if (!next.isCut && next.atMs < exclusion.untilMs) return ahead(next.atMs);
    cursorMs = next.atMs;
  } while (!isSpent(work) && cursorMs < atMs + maxAheadMs);
  return { ...ahead(Math.min(cursorMs, atMs + maxAheadMs)), isCut: true };
}

function ahead(fromMs: number): Window {
  return { fromMs, toMs: undefined, isCut: false };
}

/** The same entry; looking into its zone counts as work. */
function countedSchedule(schedule: Schedule, work: Work): Schedule {
  return {
    ...schedule,
    offset: (instantMs) => {
      work.spent++;
      return schedule.offset(instantMs);
    },
  };
}

/** The next start that opens something. Cut: there is none before `atMs`. */
function nextStart(
  schedule: Schedule,
  afterLocal: number,
  work: Work,
): { readonly atMs: number; readonly isCut: boolean } | undefined {
  let local = localAfter(schedule.start, afterLocal, work);
  while (local !== undefined) {
    const atMs = instantOfLocal(local, schedule.offset);
    // Where clocks are set forward, start and end may fall on the same instant.
    if (endOf(schedule, local, work) > atMs) return { atMs, isCut: false };
    if (isSpent(work)) return { atMs, isCut: true };
    local = localAfter(schedule.start, local, work);
  }
  return undefined;
}
