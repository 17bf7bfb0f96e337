// Elapsed time by two clocks, so that neither a set clock nor a suspended machine extends a lease.
import { type Clock, steadyNowMs } from "@plimsoll/component-base";

/** A moment by both clocks: the wall clock can be set back, and the steady one stops while the machine sleeps. */
export interface Instant {
  readonly wallMs: number;
  readonly steadyMs: number;
}

/** This moment. */
export function instantOf(clock: Clock): Instant {
  return { wallMs: clock.nowMs(), steadyMs: steadyNowMs(clock) };
}

/** How long ago that was, by the clock that says more. */
export function elapsedMs(clock: Clock, { wallMs, steadyMs }: Instant): number {
  return Math.max(clock.nowMs() - wallMs, steadyNowMs(clock) - steadyMs);
}

/** Whether less than `ms` have passed since then, by both clocks. */
export function isWithin(clock: Clock, since: Instant, ms: number): boolean {
  return elapsedMs(clock, since) < ms;
}
