// A token bucket: a rate limit that allows bursts.
import type { Clock } from "@plimsoll/component-base";

/** It gets `perSecond` tokens a second; unused ones are saved, up to `burst`. */
export interface TokenBucket {
  /** Takes one if `spare` are left afterwards. */
  take(spare: number): boolean;
  /** Time until `take` would succeed; 0 when it would now. */
  waitMs(spare: number): number;
}

export function createTokenBucket({
  clock,
  perSecond,
  burst,
}: {
  readonly clock: Pick<Clock, "nowMs">;
  readonly perSecond: number;
  readonly burst: number;
}): TokenBucket {
  let tokens = burst;
  let atMs = clock.nowMs();

  return {
    take(spare) {
      refill();
      if (tokens < 1 + spare) return false;
      tokens -= 1;
      return true;
    },
    waitMs(spare) {
      refill();
      const missing = 1 + spare - tokens;
      return missing <= 0 ? 0 : Math.ceil((missing / perSecond) * 1000);
    },
  };

  function refill(): void {
    const nowMs = clock.nowMs();
    // A wall clock that is set back gives nothing, and takes nothing away.
    const elapsedMs = Math.max(0, nowMs - atMs);
    tokens = Math.min(burst, tokens + (elapsedMs * perSecond) / 1000);
    atMs = nowMs;
  }
}
