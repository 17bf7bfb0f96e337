import type { Clock } from "@plimsoll/component-base";
import { instantOf, isWithin } from "./instant.ts";
import type { Lease } from "./lease.ts";

/** Whether a lease has expired; see `createExpiryWatch`. */
export interface ExpiryWatch {
  /**
   * Whether this state of the lease (undefined: that there is none) has been seen for longer than it lasts, by what it
   * says itself or for `durationMs`.
   */
  observe(lease: Lease | undefined, durationMs?: number): boolean;
  /** Whether the state that was observed last has expired by now. */
  readonly isExpired: boolean;
  /** Ends the timer. */
  end(): void;
}

/**
 * Measures how long a lease has not changed, by this process's own timers: the clocks of two machines, and what a
 * lease says of its own age, are never compared. `defaultMs` is for a lease without a duration, and for none. A
 * lease that is absent has no version, and may have come and gone between two looks: they must be no further apart than
 * half of `defaultMs`, or than `maxRoundMs` where that is longer.
 */
export function createExpiryWatch(clock: Clock, defaultMs: number, maxRoundMs: number = 0): ExpiryWatch {
  const maxGapMs = Math.max(defaultMs / 2, maxRoundMs);
  let seen: string | undefined;
  let seenAt = instantOf(clock);
  let isExpired = false;
  let cancel = () => {};

  function isUnbroken(lease: Lease | undefined, state: string): boolean {
    return state === seen && (lease !== undefined || isWithin(clock, seenAt, maxGapMs));
  }

  return {
    observe(lease, durationMs) {
      const state = JSON.stringify([lease?.metadata.uid, lease?.metadata.resourceVersion, lease?.spec]);
      const isSame = isUnbroken(lease, state);
      seenAt = instantOf(clock);
      if (isSame) return isExpired;
      seen = state;
      isExpired = false;
      cancel();
      const seconds = lease?.spec?.leaseDurationSeconds;
      const ownMs = seconds === undefined ? defaultMs : seconds * 1000;
      cancel = clock.after(durationMs ?? ownMs, () => {
        isExpired = true;
      });
      return false;
    },
    get isExpired() {
      return isExpired;
    },
    end: () => cancel(),
  };
}
