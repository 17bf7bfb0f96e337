// Suspends queries that timed out or returned too much, with exponential backoff.
import { createHash } from "node:crypto";
import { backoffMs, type CacheMeter, createBoundedCache } from "@plimsoll/component-base";
import { PrometheusError } from "@plimsoll/prometheus";

interface Suspension {
  readonly kind: "timeout" | "too_large";
  readonly failures: number;
  readonly fromMs: number;
}

const PAUSE = { baseMs: 1_000, maxMs: 30_000 };
/** A query that was not sent for so long starts over. */
const FORGET_MS = 120_000;
const MAX_BYTES = 2 * 1024 * 1024;
/** So many large responses in a row are read before the queries of their group pause. */
const LARGE_IN_A_ROW = 3;

/**
 * Suspends queries that timed out or gave too much: each on its own, for a while that doubles. Queries that differ in a
 * selector only would read a large response each: after a few that gave too much, and none that succeeded, those of their
 * group are suspended together.
 */
export function createSuspensions(nowMs: () => number, meter?: CacheMeter) {
  const suspended = createBoundedCache<Suspension>({
    name: "suspensions",
    meter,
    maxBytes: MAX_BYTES,
    ttlMs: FORGET_MS,
    nowMs,
  });
  const refuse = (key: string, passed: number, what: string): void => {
    const found = suspended.get(key);
    if (found === undefined || found.failures <= passed) return;
    const leftMs = found.fromMs + backoffMs(found.failures - passed - 1, PAUSE) - nowMs();
    if (leftMs <= 0) return;
    const cause = found.kind === "timeout" ? "timed out" : "returned too much";
    const message = `${what} ${cause} and ${passed === 0 ? "is" : "are"} not sent for ${Math.ceil(leftMs / 1000)} s`;
    throw new PrometheusError(found.kind, message, { retryAfterMs: leftMs });
  };
  const count = (key: string, kind: Suspension["kind"]): void =>
    suspended.set(key, { kind, failures: (suspended.get(key)?.failures ?? 0) + 1, fromMs: nowMs() });
  return {
    /** @throws PrometheusError, of the kind that the query failed with, while it is suspended. */
    check(promql: string, group: string | undefined): void {
      if (suspended.size === 0) return;
      refuse(keyOf(promql), 0, "this query");
      if (group !== undefined) refuse(groupKey(group), LARGE_IN_A_ROW - 1, "queries like this one");
    },
    failed(promql: string, group: string | undefined, error: unknown): void {
      if (!(error instanceof PrometheusError)) return;
      const { kind } = error;
      if (kind !== "timeout" && kind !== "too_large") return;
      count(keyOf(promql), kind);
      if (kind === "too_large" && group !== undefined) count(groupKey(group), kind);
    },
    succeeded(promql: string, group: string | undefined): void {
      if (suspended.size === 0) return;
      suspended.delete(keyOf(promql));
      if (group !== undefined) suspended.delete(groupKey(group));
    },
  };
}

/** No PromQL begins like this. */
function groupKey(group: string): string {
  return `)${group}`;
}

/** Queries may be as long as callers make them. */
function keyOf(promql: string): string {
  return promql.length <= 256 ? promql : createHash("sha256").update(promql).digest("base64");
}
