// Sends queries, within the limits of their metric and namespace.
import { type Clock, createLogLimiter, steadyNowMs } from "@plimsoll/component-base";
import { type InstantResult, isAnswered, type Linger, PrometheusError } from "@plimsoll/prometheus";
import type { Circuit } from "../circuit.ts";
import type { EngineSeams } from "../seams.ts";
import type { Source } from "../source.ts";
import { createInFlightLimiter, STALLED_MS } from "./in-flight.ts";
import type { Account, QueryEnd } from "./limits.ts";
import { createQueryTimeout } from "./query-timeout.ts";
import type { ResponseBudgets } from "./response-budgets.ts";
import { createSuspensions } from "./suspensions.ts";

export interface ExecutableQuery {
  readonly promql: string;
  readonly account: Account;
  /** exact: for one request. batched: for all requests of a rule and namespace. */
  readonly kind: "exact" | "batched";
  /** How long it may take at most; undefined: as long as its request has. */
  readonly maxMs?: number | undefined;
  /** A result of more samples is of no use, and is not kept; undefined: there is no bound. */
  readonly maxSamples?: number | undefined;
  /** Of what is kept of its response; undefined: what its namespace may have. */
  readonly maxResponseBytes?: number | undefined;
  /** Of the request that caused it. */
  readonly caller: Caller;
}

/** A request that waits for results. */
export interface Caller {
  /** Ends with the request. Made when it is first needed: a request that waits for nothing needs none. */
  readonly signal: () => AbortSignal;
}

/** Sends queries. A query that fails for itself affects no other: it is suspended alone, and takes few connections. */
export interface Executor {
  /**
   * Rejects with PrometheusError, or with the signal's reason.
   * @param abort Ends the query for all that wait for it.
   */
  execute(query: ExecutableQuery, signal: AbortSignal, abort: Abort): Promise<InstantResult>;
  /** Whether a query failed because its caller had little time: another caller may have more. */
  isHasty(error: Error): boolean;
  /** Queries of tenants whose callers have left, and that may still run in Prometheus. */
  unanswered(): number;
}

type Abort = (reason: unknown) => void;

export interface ExecutorOptions extends Omit<EngineSeams, "telemetry"> {
  readonly source: Source;
  readonly circuit: Circuit;
  readonly budgets: ResponseBudgets;
}

/** The longest that a query without a response is watched for its end. */
const LINGER_MS = 3_600_000;
const LOG_PAUSE_MS = 600_000;
/** A connection that closes sooner means the server is down, not that a query hangs. */
const CUT_MS = 1_000;

export function createExecutor(options: ExecutorOptions): Executor {
  const { source, circuit, clock, log, budgets, meter } = options;
  const nowMs = (): number => clock.nowMs();
  const timeout = createQueryTimeout({ nowMs, maxMs: source.queryTimeoutMs });
  const limiter = createInFlightLimiter(clock, meter, source);
  const suspensions = createSuspensions(nowMs, meter);
  const hasty = new WeakSet<Error>();
  const isDue = createLogLimiter(clock, LOG_PAUSE_MS);
  const logTimeout = (promql: string, { namespace = "", tenantQuery }: Account): void => {
    if (tenantQuery === undefined || !isDue(namespace)) return;
    log.warn({ namespace, promql: promql.slice(0, 500) }, "a query of a tenant timed out");
  };
  return {
    isHasty: (error) => hasty.has(error),
    unanswered: limiter.unanswered,
    async execute({ promql, account, kind, caller, maxMs, maxResponseBytes }, signal, abort) {
      const group = groupOf(account, kind);
      suspensions.check(promql, group);
      const release = await limiter.acquire(account, signal, abort);
      const timeoutMs = timeout.grantedMs(caller.signal(), kind, maxMs);
      const running = createRunning(clock, account);
      let end: QueryEnd = "failed";
      let isSent = false;
      try {
        const { namespace } = account;
        const budget = namespace === undefined ? undefined : budgets.of(namespace, maxResponseBytes);
        const tenant = source.isByNamespace === true ? namespace : undefined;
        const limits = { signal, timeoutMs, budget, linger: running.linger };
        const ofTenant = tenant === undefined ? limits : { ...limits, namespace: tenant };
        const result = await circuit.run(() => {
          isSent = true;
          return source.client.query(promql, ofTenant);
        });
        end = "succeeded";
        suspensions.succeeded(promql, group);
        return result;
      } catch (error) {
        if (!isSent) throw error;
        const isTimeout = error instanceof PrometheusError && error.kind === "timeout";
        if (isTimeout && !timeout.isFair(timeoutMs)) {
          hasty.add(error);
        } else {
          if (isTimeout) {
            end = "timeout";
            logTimeout(promql, account);
          } else if (running.isAway(error)) end = "away";
          suspensions.failed(promql, group, error);
        }
        running.failed(error);
        throw error;
      } finally {
        release(end, running.answered());
      }
    },
  };
}

/** Where a namespace's large responses count together: of one metric, or of all that its tenants wrote. */
function groupOf(
  { metric, namespace, tenantQuery }: Account,
  kind: ExecutableQuery["kind"],
): string | undefined {
  // Where the response for all objects is too large, that for each of them may not be.
  if (namespace === undefined || kind === "batched") return undefined;
  return `${namespace} ${tenantQuery === undefined ? metric : ""}`;
}

/** It can no longer be known whether it has ended. */
async function unknown(): Promise<boolean> {
  return false;
}

/** What a gateway answers, at once, that has no server behind it. */
const BAD_GATEWAY = 502;

interface Running {
  /** How the connection of a query is kept whose caller leaves; undefined: it is closed then. */
  readonly linger: Linger | undefined;
  failed(error: unknown): void;
  /** Whether there was no server: then it runs no query that began before. */
  isAway(error: unknown): boolean;
  /** Where Prometheus may still run the query: resolves with whether it has answered later. */
  answered(): Promise<boolean> | undefined;
}

/**
 * The connections of tenants' queries stay open, as only they show when a query has ended. There are few of these. Those
 * of the rules file are closed.
 */
function createRunning(clock: Clock, { tenantQuery, namespace }: Account): Running {
  const sinceMs = steadyNowMs(clock);
  const minMs = tenantQuery === undefined ? STALLED_MS : CUT_MS;
  let answered: Promise<boolean> | undefined;
  const onLeft = (later: Promise<boolean>): void => void (answered = later);
  return {
    linger: tenantQuery === undefined ? undefined : { maxMs: LINGER_MS, onLeft },
    failed(error) {
      const isShort = steadyNowMs(clock) - sinceMs < minMs;
      if (namespace === undefined || isShort || isAnswered(error)) return;
      answered ??= unknown();
    },
    isAway(error) {
      const isShort = steadyNowMs(clock) - sinceMs < CUT_MS;
      return (
        isShort &&
        error instanceof PrometheusError &&
        (error.kind === "unreachable" || error.status === BAD_GATEWAY)
      );
    },
    answered: () => answered,
  };
}
