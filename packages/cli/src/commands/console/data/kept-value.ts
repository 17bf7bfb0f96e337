// Values that are expensive to read: kept for a while, and read once however many ask.
import { type Clock, cacheTiming, createBoundedCache } from "@plimsoll/component-base";

export interface KeptValues<T> {
  /** The value under a key; a failure is not kept. */
  get(key: string, read: () => Promise<T>): Promise<T>;
}

interface Kept<T> {
  readonly value: Promise<T>;
  /** Undefined while it is read. */
  untilMs: number | undefined;
}

const maxKeepMs = 3_600_000;

/**
 * A value is kept for `keepMs`, and at least for `idleShare` times as long as it took to read: a slow cluster is read
 * less often.
 */
export function createKeptValues<T>(
  clock: Clock,
  { keepMs, idleShare, max }: { readonly keepMs: number; readonly idleShare: number; readonly max: number },
): KeptValues<T> {
  const all = createBoundedCache<Kept<T>>({
    ...cacheTiming(clock),
    name: "console_values",
    maxBytes: Number.MAX_SAFE_INTEGER,
    maxEntries: max,
    ttlMs: maxKeepMs,
  });
  return {
    get(key, read) {
      const known = all.get(key);
      if (known !== undefined && (known.untilMs === undefined || clock.nowMs() < known.untilMs))
        return known.value;
      const beganMs = clock.nowMs();
      const kept: Kept<T> = { value: read(), untilMs: undefined };
      all.set(key, kept);
      const expire = () => {
        const nowMs = clock.nowMs();
        kept.untilMs = nowMs + Math.max(keepMs, idleShare * (nowMs - beganMs));
      };
      const forget = () => {
        if (all.get(key) === kept) all.delete(key);
      };
      kept.value.then(expire, forget);
      return kept.value;
    },
  };
}
