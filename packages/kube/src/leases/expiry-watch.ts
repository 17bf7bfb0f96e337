import type { Clock } from "@plimsoll/component-base";
import { elapsedMs, instantOf, isWithin } from "./instant.ts";
import { believedMs, type Lease } from "./lease.ts";

/** Whether a lease has expired; see `createExpiryWatch`. */
export type ExpiryWatch = ReturnType<typeof createExpiryWatch>;

/**
 * Measures how long a lease has not changed, by this process's own timers: the clocks of two machines, and what a
 * lease says of its own age, are never compared. `defaultMs` is for a lease without a duration, and for none. A
 * lease that is absent has no version, and may have come and gone between two looks: they must be no further apart than
 * half of `defaultMs`, or than `maxRoundMs` where that is longer.
 */
export function createExpiryWatch(clock: Clock, defaultMs: number, maxRoundMs: number = 0) {
  const maxGapMs = Math.max(defaultMs / 2, maxRoundMs);
  let seen: string | undefined;
  let seenAt = instantOf(clock);
  let changedAt = seenAt;
  let lastsMs = defaultMs;
  let isExpired = false;
  let cancel = () => {};

  function isUnbroken(lease: Lease | undefined, state: string): boolean {
    return state === seen && (lease !== undefined || isWithin(clock, seenAt, maxGapMs));
  }

  return {
    /**
     * Whether this state of the lease (undefined: that there is none) has been seen for `durationMs`. By default that is
     * what the lease says itself, but no less than `defaultMs`: another client may have written any duration.
     */
    observe(lease: Lease | undefined, durationMs?: number): boolean {
      const state = JSON.stringify([lease?.metadata.uid, lease?.metadata.resourceVersion, lease?.spec]);
      const isSame = isUnbroken(lease, state);
      seenAt = instantOf(clock);
      if (isSame) return isExpired;
      seen = state;
      isExpired = false;
      cancel();
      changedAt = seenAt;
      lastsMs = durationMs ?? Math.max(defaultMs, believedMs(lease));
      cancel = clock.after(lastsMs, () => {
        isExpired = true;
      });
      return false;
    },
    /** Whether the state that was observed last has expired by now. */
    get isExpired() {
      return isExpired;
    },
    /** How long it takes until that has expired; 0 when it has. */
    get leftMs() {
      return isExpired ? 0 : Math.max(0, lastsMs - elapsedMs(clock, changedAt));
    },
    /** Ends the timer. */
    end: () => cancel(),
  };
}
