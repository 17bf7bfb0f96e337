// Records whether queries of each metric succeeded.
import { type CacheMeter, createBoundedCache } from "@plimsoll/component-base";

/**
 * unproven: not queried lately. proven: a query succeeded, and none has timed out since. timedOut: in some namespaces only.
 * slow: in several namespaces, so that the metric itself is the cause.
 */
export interface Health {
  readonly state: "unproven" | "proven" | "timedOut" | "slow";
  /** The namespaces in which it has timed out since its last success, or the first few. */
  readonly timedOutIn: readonly string[];
}

interface Entry extends Health {
  readonly atMs: number;
}

/** A metric that timed out in so many namespaces, and has succeeded in none since, is slow. */
const NAMESPACES_OF_SLOW_METRIC = 3;
/** For so long after its last timeout, and until it succeeds. */
const SLOW_MS = 60_000;
/** For so long after its last success, and until it times out. */
const PROVEN_MS = 600_000;
const MAX_BYTES = 4 * 1024 * 1024;

const unproven: Health = { state: "unproven", timedOutIn: [] };

/** Whether queries of metrics succeeded lately. */
export function createMetricHealth(nowMs: () => number, meter?: CacheMeter) {
  const known = createBoundedCache<Entry>({
    name: "metric_health",
    meter,
    maxBytes: MAX_BYTES,
    ttlMs: PROVEN_MS,
    sizeOf: ({ timedOutIn }) => 50 + 2 * timedOutIn.join("").length,
    nowMs,
  });
  return {
    of: (metric: string): Health => known.get(metric) ?? unproven,
    /** Returns whether that is news. */
    succeeded(metric: string): boolean {
      const last = known.get(metric);
      const atMs = nowMs();
      if (last?.state === "proven" && Math.abs(atMs - last.atMs) < PROVEN_MS / 2) return false;
      known.set(metric, { state: "proven", timedOutIn: [], atMs });
      return true;
    },
    timedOut(metric: string, namespace: string): void {
      const namespaces = new Set([...(known.get(metric)?.timedOutIn ?? []), namespace]);
      const timedOutIn = [...namespaces].slice(0, NAMESPACES_OF_SLOW_METRIC);
      const state = timedOutIn.length === NAMESPACES_OF_SLOW_METRIC ? "slow" : "timedOut";
      known.set(metric, { state, timedOutIn, atMs: nowMs() }, SLOW_MS);
    },
  };
}
