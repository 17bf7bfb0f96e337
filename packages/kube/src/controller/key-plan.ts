// When a key runs beside its sync period: requeue, retry or pause.
import type { ReconcileResult } from "./reconcile-result.ts";

const never = Number.POSITIVE_INFINITY;

export const emptyPlan = {
  /** As its last run wanted. */
  requeueAtMs: never,
  /** As `enqueueAfter` wanted. */
  afterAtMs: never,
  /** After a failure. */
  retryAtMs: never,
  /** In a row. */
  failures: 0,
  /** Its periods are skipped from then and until then. */
  restFromMs: 0,
  restUntilMs: 0,
};

/** When a key runs besides its periods. Instants are of the wall clock, but for the rest, which the steady clock measures. */
export type KeyPlan = Readonly<typeof emptyPlan>;

/** Undefined when the key does not run by itself. */
export function nextAtMs({ requeueAtMs, afterAtMs, retryAtMs }: KeyPlan): number | undefined {
  const atMs = Math.min(requeueAtMs, afterAtMs, retryAtMs);
  return atMs === never ? undefined : atMs;
}

/** Whether periods are skipped. A rest that begins later comes from a clock that was set back. */
export function isResting({ restFromMs, restUntilMs }: KeyPlan, nowMs: number): boolean {
  return nowMs >= restFromMs && nowMs < restUntilMs;
}

/** Whether only the retry after a failure is reached: it does not overtake healthy keys. */
export function isRetry({ requeueAtMs, afterAtMs, retryAtMs }: KeyPlan, wallMs: number): boolean {
  return retryAtMs <= wallMs && Math.min(requeueAtMs, afterAtMs) > wallMs;
}

/**
 * The plan once the key was enqueued by its timer: the run says what it wants next, and what others wanted for later
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
  { requeueAtMs = never, restMs = 0 }: ReconcileResult,
  nowMs: number,
): KeyPlan {
  const rest = { restFromMs: nowMs, restUntilMs: nowMs + restMs };
  return { ...plan, ...rest, requeueAtMs, retryAtMs: never, failures: 0 };
}

/** The earlier of two wishes stays. */
export function withDelay(plan: KeyPlan, atMs: number): KeyPlan {
  return { ...plan, afterAtMs: Math.min(plan.afterAtMs, atMs) };
}
