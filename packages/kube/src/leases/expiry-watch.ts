import type { Clock } from "@plimsoll/component-base";
import type { Lease } from "./lease.ts";

/** Whether a lease has expired; see `createExpiryWatch`. */
export interface ExpiryWatch {
  /** Whether this state of the lease (undefined: that there is none) has been seen for longer than it lasts. */
  observe(lease: Lease | undefined): boolean;
  /** Ends the timer. */
  end(): void;
}

/**
 * Measures how long a lease has not changed, by this process's own timers: the clocks of two machines, and what a
 * lease says of its own age, are never compared. `defaultMs` is for a lease without a duration, and for none.
 */
export function createExpiryWatch(clock: Clock, defaultMs: number): ExpiryWatch {
  let seen: string | undefined;
  let isExpired = false;
  let cancel = () => {};
  return {
    observe(lease) {
      const state = JSON.stringify([lease?.metadata.uid, lease?.metadata.resourceVersion, lease?.spec]);
      if (state === seen) return isExpired;
      seen = state;
      isExpired = false;
      cancel();
      const seconds = lease?.spec?.leaseDurationSeconds;
      cancel = clock.after(seconds === undefined ? defaultMs : seconds * 1000, () => {
        isExpired = true;
      });
      return false;
    },
    end: () => cancel(),
  };
}
