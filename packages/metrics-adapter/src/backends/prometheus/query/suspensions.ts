// Suspends queries that timed out or returned too much, with exponential backoff.
import { createHash } from "node:crypto";
import { backoffMs, type CacheMeter, createBoundedCache } from "@plimsoll/component-base";
import { PrometheusError } from "@plimsoll/prometheus";

/** Suspends queries that timed out or gave too much: each on its own, for a while that doubles. */
export interface Suspensions {
  /** @throws PrometheusError, of the kind that the query failed with, while it is suspended. */
  check(promql: string): void;
  failed(promql: string, error: unknown): void;
  succeeded(promql: string): void;
}

interface Suspension {
  readonly kind: "timeout" | "too_large";
  readonly failures: number;
  readonly fromMs: number;
}

const PAUSE = { baseMs: 1_000, maxMs: 30_000 };
/** A query that was not sent for so long starts over. */
const FORGET_MS = 120_000;
const MAX_BYTES = 2 * 1024 * 1024;

export function createSuspensions(nowMs: () => number, meter?: CacheMeter): Suspensions {
  const suspended = createBoundedCache<Suspension>({
    name: "suspensions",
    meter,
    maxBytes: MAX_BYTES,
    ttlMs: FORGET_MS,
    nowMs,
  });
  return {
    check(promql) {
      if (suspended.size === 0) return;
      const found = suspended.get(keyOf(promql));
      const leftMs = found === undefined ? 0 : found.fromMs + backoffMs(found.failures - 1, PAUSE) - nowMs();
      if (found === undefined || leftMs <= 0) return;
      const cause = found.kind === "timeout" ? "timed out" : "gave too much";
      const message = `this query ${cause} and is not sent for ${Math.ceil(leftMs / 1000)} s`;
      throw new PrometheusError(found.kind, message, { retryAfterMs: leftMs });
    },
    failed(promql, error) {
      if (!(error instanceof PrometheusError)) return;
      const { kind } = error;
      if (kind !== "timeout" && kind !== "too_large") return;
      const key = keyOf(promql);
      const failures = (suspended.get(key)?.failures ?? 0) + 1;
      suspended.set(key, { kind, failures, fromMs: nowMs() });
    },
    succeeded(promql) {
      if (suspended.size > 0) suspended.delete(keyOf(promql));
    },
  };
}

/** Queries may be as long as callers make them. */
function keyOf(promql: string): string {
  return promql.length <= 256 ? promql : createHash("sha256").update(promql).digest("base64");
}
