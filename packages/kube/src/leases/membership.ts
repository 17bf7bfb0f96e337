// The Lease by which a process takes part in sharding.
import type { Clock } from "@plimsoll/component-base";
import { elapsedMs, instantOf, isWithin } from "./instant.ts";
import type { Lease } from "./lease.ts";

/** The lease of this member, which it renews: what it owns may be used only while that is valid. */
export interface Membership {
  /** Whether what this member owns may be used now. */
  readonly isValid: boolean;
  /** Counts lapses: what began before one does not count after it. */
  readonly term: number;
  /** Writes the lease once more. Throws ApiError or ConnectionError. */
  renew(): Promise<void>;
  /** Lapses for good. */
  end(): void;
  /** As it was last written, when that is known. */
  readonly lease: Lease | undefined;
}

export function createMembership(options: {
  readonly clock: Clock;
  readonly renewDeadlineMs: number;
  readonly read: () => Promise<Lease | undefined>;
  readonly write: (former: Lease | undefined) => Promise<Lease>;
  /** For how long from now what is owned may be used at most, however often the lease is renewed. */
  readonly usableForMs: () => number;
  /** Nothing may be used from now on. */
  readonly onLapse: () => void;
}): Membership {
  const { clock, renewDeadlineMs, read, write } = options;
  let own: Lease | undefined;
  let term = 0;
  /** Counted from the last renewal. */
  let validForMs = 0;
  let renewedAt = instantOf(clock);
  let cancelDeadline = (): void => {};
  let isEnded = false;

  const isValid = (): boolean => isWithin(clock, renewedAt, validForMs);

  function lapse(): void {
    term++;
    validForMs = 0;
    cancelDeadline();
    options.onLapse();
  }

  return {
    get isValid() {
      return isValid();
    },
    get term() {
      return term;
    },
    async renew() {
      const known = own;
      own = undefined;
      // A lease that another state replaced is read by the next renewal.
      const former = known ?? (await read());
      const startedAt = instantOf(clock);
      own = await write(former);
      const tookMs = elapsedMs(clock, startedAt);
      if (isEnded || tookMs >= renewDeadlineMs) return;
      // A timer may be late, and the shards of before the lapse are not ours any more.
      if (!isValid()) lapse();
      renewedAt = startedAt;
      validForMs = Math.min(renewDeadlineMs, tookMs + options.usableForMs());
      cancelDeadline();
      cancelDeadline = clock.after(validForMs - tookMs, lapse);
    },
    end() {
      isEnded = true;
      lapse();
    },
    get lease() {
      return own;
    },
  };
}
