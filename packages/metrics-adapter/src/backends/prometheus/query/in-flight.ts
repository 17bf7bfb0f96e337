// Limits the queries in flight.
import { type CacheMeter, type Clock, steadyNowMs } from "@plimsoll/component-base";
import { PrometheusError } from "@plimsoll/prometheus";
import type { Limit } from "./counts.ts";
import {
  type Account,
  type CountedQuery,
  createLimits,
  isSlowThere,
  type Limits,
  type QueryEnd,
  type QueryLimits,
} from "./limits.ts";
import { createWaitingQueries, type WaitingQueries, type WaitingQuery } from "./waiting-queries.ts";

type Preempt = (error: NotStartedError) => void;
/** @param running Where Prometheus may still run the query: resolves with whether it has answered later. */
export type Release = (end: QueryEnd, running?: Promise<boolean>) => void;

/** Each takes the place of a request, of which there are 400 unless it is set otherwise. */
const MAX_WAITING_IN_NAMESPACE = 100;
const MAX_WAITING_WHERE_SLOW = 4;
const MAX_WAITING_FOR_SLOW_METRIC = 32;
/** A query that has been in flight for so long is stalled. */
export const STALLED_MS = 5_000;
/** How often stalled queries are looked for, while others wait. */
const CHECK_MS = 1_000;

/** A query that was not sent, or that ended because others need its place. */
export class NotStartedError extends PrometheusError {
  constructor(message: string, retryAfterMs?: number) {
    super("timeout", message, { retryAfterMs });
  }
}

const slowMessage = "queries for this metric time out, and too many of them are already waiting";
const preemptedMessage = `no response within ${STALLED_MS / 1000} s, and other queries are waiting`;

interface InFlightQuery {
  readonly query: CountedQuery;
  readonly sinceMs: number;
  readonly preempt: Preempt;
}

interface State {
  readonly clock: Clock;
  readonly limits: Limits;
  /** In the order in which they began. */
  readonly inFlight: Set<InFlightQuery>;
  readonly waiting: WaitingQueries;
  stopChecking: (() => void) | undefined;
}

/**
 * Limits the queries in flight, so that neither a metric nor a namespace takes the connections of the others. A
 * stalled query goes on until others wait for its place.
 */
export function createInFlightLimiter(clock: Clock, meter?: CacheMeter, max?: QueryLimits) {
  const limits = createLimits(clock, meter, max);
  const waiting = createWaitingQueries(limits);
  const state: State = { clock, limits, inFlight: new Set(), waiting, stopChecking: undefined };
  return {
    /** Queries of tenants whose callers have left, and that may still run in Prometheus. */
    unanswered: limits.unanswered,
    /**
     * Waits until the query may start.
     * @param preempt Called at most once, while the query is in flight: it has to end with this error then.
     * @returns what releases its place.
     * @throws NotStartedError when the metric times out and enough queries wait for it, too many of the namespace wait,
     * or queries of the tenant are paused; or the signal's reason.
     */
    async acquire(account: Account, signal: AbortSignal, preempt: Preempt): Promise<Release> {
      signal.throwIfAborted();
      const query = limits.query(account);
      const refusal = limits.refusal(query);
      if (refusal !== undefined) throw new NotStartedError(refusal.message, refusal.retryAfterMs);
      const limit = limits.exceeded(query);
      if (limit === undefined) return begin(state, query, preempt);
      const { namespace } = account;
      if (namespace !== undefined && waiting.inNamespace(namespace) >= MAX_WAITING_IN_NAMESPACE)
        throw new NotStartedError(
          `${MAX_WAITING_IN_NAMESPACE} queries of this namespace are already waiting`,
        );
      const started = wait(state, { query, preempt, signal }, limit);
      limitWaiting(state, account.metric);
      return await started;
    },
  };
}

function begin(state: State, query: CountedQuery, preempt: Preempt): Release {
  const one = { query, sinceMs: steadyNowMs(state.clock), preempt };
  state.limits.begin(query);
  state.inFlight.add(one);
  return (end, running) => {
    state.inFlight.delete(one);
    const isHealthChanged = state.limits.end(query, end, running !== undefined);
    if (running !== undefined) void settle(state, query, running);
    if (state.waiting.size === 0) return;
    if (end === "timeout") limitWaiting(state, query.account.metric);
    const isTenants = query.tenantRun !== undefined;
    if (isTenants) refusePaused(state);
    startWaiting(state, isHealthChanged || isTenants ? undefined : query.countedUnder);
  };
}

/** Its place is free, or kept for a known time, when its connection ends. */
async function settle(state: State, query: CountedQuery, running: Promise<boolean>): Promise<void> {
  state.limits.settled(query, await running);
  startWaiting(state, undefined);
}

/** Refuses queries of tenants that were paused while they waited. */
function refusePaused({ limits, waiting }: State): void {
  for (const { query, refuse } of waiting.all()) {
    const refusal = limits.refusal(query);
    if (refusal !== undefined) refuse(new NotStartedError(refusal.message, refusal.retryAfterMs));
  }
}

interface Wanted {
  readonly query: CountedQuery;
  readonly preempt: Preempt;
  readonly signal: AbortSignal;
}

function wait(state: State, { query, preempt, signal }: Wanted, limit: Limit): Promise<Release> {
  const { clock, waiting } = state;
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      waiting.remove(entry);
      signal.removeEventListener("abort", onAbort);
      if (waiting.size > 0) return;
      state.stopChecking?.();
      state.stopChecking = undefined;
    };
    const onAbort = (): void => entry.refuse(signal.reason);
    const entry: WaitingQuery = {
      query,
      start() {
        leave();
        resolve(begin(state, query, preempt));
      },
      refuse(error) {
        leave();
        reject(error);
      },
    };
    waiting.add(entry, limit);
    signal.addEventListener("abort", onAbort, { once: true });
    state.stopChecking ??= clock.after(CHECK_MS, () => preemptStalled(state));
  });
}

function startWaiting({ waiting }: State, released: readonly string[] | undefined): void {
  for (let one = waiting.next(released); one !== undefined; one = waiting.next(released)) one.start();
}

/** Refuses queries that would only wait for others to time out: the last to come first. */
function limitWaiting({ limits, waiting }: State, metric: string): void {
  const health = limits.healthOf(metric);
  if (health.timedOutIn.length === 0) return;
  const kept = new Map<string, number>();
  let total = 0;
  for (const { query, refuse } of waiting.all()) {
    if (query.account.metric !== metric) continue;
    const { namespace = "" } = query.account;
    const here = kept.get(namespace) ?? 0;
    const isTooMany =
      (isSlowThere(health, query.account) && here >= MAX_WAITING_WHERE_SLOW) ||
      (health.state === "slow" && total >= MAX_WAITING_FOR_SLOW_METRIC);
    if (isTooMany) {
      refuse(new NotStartedError(slowMessage));
      continue;
    }
    total += 1;
    kept.set(namespace, here + 1);
  }
}

/** Where a limit is used up, and stalled queries take too much of it, one of them ends for each that waits. */
function preemptStalled(state: State): void {
  refusePaused(state);
  startWaiting(state, undefined);
  const { clock, inFlight, limits, waiting } = state;
  const nowMs = steadyNowMs(clock);
  const stalled = new Set([...inFlight].filter(({ sinceMs }) => nowMs - sinceMs >= STALLED_MS));
  const chosen = new Set<InFlightQuery>();
  for (const { query } of waiting.all()) {
    const limit = limits.exceeded(query);
    const one = limit && victimOf(stalled, limit);
    if (one === undefined) continue;
    stalled.delete(one);
    chosen.add(one);
  }
  for (const { preempt } of chosen) preempt(new NotStartedError(preemptedMessage));
  state.stopChecking = waiting.size === 0 ? undefined : clock.after(CHECK_MS, () => preemptStalled(state));
}

/** Of the namespace with the most stalled queries in a limit the oldest; undefined where they may go on. */
function victimOf(stalled: ReadonlySet<InFlightQuery>, limit: Limit): InFlightQuery | undefined {
  const counted = [...stalled].filter(({ query }) => query.countedUnder.includes(limit.key));
  if (counted.length <= limit.maxStalled) return undefined;
  let max: readonly InFlightQuery[] = [];
  const byNamespace = Map.groupBy(counted, ({ query }) => query.account.namespace ?? "");
  for (const list of byNamespace.values()) if (list.length > max.length) max = list;
  return max[0];
}
