// When a key runs beside its sync period: requeue, retry or pause.
import type { ReconcileResult } from "./reconcile-result.ts";

const never = Number.POSITIVE_INFINITY;

export const emptyPlan = {
  /** Requested by its last run. */
  requeueAtMs: never,
  /** Requested by `enqueueAfter`. */
  afterAtMs: never,
  /** After a failure. */
  retryAtMs: never,
  /** In a row. */
  failures: 0,
  /** Its periods are skipped from then and until then. */
  skipFromMs: 0,
  skipUntilMs: 0,
};

/** When a key runs besides its periods. Instants are of the wall clock, but for skipped periods, which the steady clock measures. */
export type KeyPlan = Readonly<typeof emptyPlan>;

/** Undefined when the key does not run by itself. */
export function nextAtMs({ requeueAtMs, afterAtMs, retryAtMs }: KeyPlan): number | undefined {
  const atMs = Math.min(requeueAtMs, afterAtMs, retryAtMs);
  return atMs === never ? undefined : atMs;
}

/** Whether periods are skipped. A beginning in the future comes from a clock that was set back. */
export function isSkipping({ skipFromMs, skipUntilMs }: KeyPlan, nowMs: number): boolean {
  return nowMs >= skipFromMs && nowMs < skipUntilMs;
}

/** Whether only the retry after a failure is reached: it does not overtake healthy keys. */
export function isRetry({ requeueAtMs, afterAtMs, retryAtMs }: KeyPlan, wallMs: number): boolean {
  return retryAtMs <= wallMs && Math.min(requeueAtMs, afterAtMs) > wallMs;
}

/**
 * The plan once the key was enqueued by its timer: the run requests its next one, and what `enqueueAfter` requested for later
 * stays. When nothing is reached yet, the clock was set back, and no instant stays.
 */
export function afterTimer(plan: KeyPlan, wallMs: number): KeyPlan {
  const isReached = (nextAtMs(plan) ?? never) <= wallMs;
  const isLater = isReached && plan.afterAtMs > wallMs;
  return { ...plan, requeueAtMs: never, retryAtMs: never, afterAtMs: isLater ? plan.afterAtMs : never };
}

/** The plan after a run that did its work. */
export function afterRun(
  plan: KeyPlan,
  { requeueAtMs = never, skipMs = 0 }: ReconcileResult,
  nowMs: number,
): KeyPlan {
  const rest = { skipFromMs: nowMs, skipUntilMs: nowMs + skipMs };
  return { ...plan, ...rest, requeueAtMs, retryAtMs: never, failures: 0 };
}

/** The earlier of two requests stays. */
export function withDelay(plan: KeyPlan, atMs: number): KeyPlan {
  return { ...plan, afterAtMs: Math.min(plan.afterAtMs, atMs) };
}
