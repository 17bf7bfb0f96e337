import type { Clock } from "../clock/clock.ts";

/** On what the entries of a cache age. */
export interface CacheTiming {
  /** Default: as the meter says, else the wall clock. */
  readonly nowMs?: () => number;
  /** Default: as the meter says, else a timer that keeps no process alive. */
  readonly after?: (delayMs: number, run: () => void) => unknown;
}

/** What a cache whose entries age on this clock is made with. */
export function cacheTiming(clock: Clock): CacheTiming {
  const { afterIdle } = clock;
  return { nowMs: () => clock.nowMs(), ...(afterIdle === undefined ? {} : { after: afterIdle }) };
}
