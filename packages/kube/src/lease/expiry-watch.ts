import type { Clock } from "../clock.ts";
import type { Lease } from "./lease.ts";

/**
 * Knows how long a lease has not changed, by this process's own timers: the clocks of two machines, and what a
 * lease says of its own age, are never compared.
 */
export function createExpiryWatch(
  clock: Clock,
  defaultMs: number,
): { observe(lease: Lease | undefined): boolean; end(): void } {
  let seen: string | undefined;
  let isExpired = false;
  let cancel = () => {};
  return {
    /** Whether this state of the lease has been seen for longer than it lasts. */
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
