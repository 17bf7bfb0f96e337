// Sends queries, within the limits of their metric and namespace.
import type { CacheMeter, Clock } from "@plimsoll/component-base";
import { type InstantResult, PrometheusError } from "@plimsoll/prometheus";
import type { Circuit } from "../circuit.ts";
import type { Source } from "../source.ts";
import { createInFlightLimiter } from "./in-flight.ts";
import type { Account, QueryEnd } from "./limits.ts";
import { createQueryTimeout } from "./query-timeout.ts";
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
}

type Abort = (reason: unknown) => void;

export interface ExecutorOptions {
  readonly source: Source;
  readonly circuit: Circuit;
  readonly clock: Clock;
  readonly meter?: CacheMeter | undefined;
}

export function createExecutor({ source, circuit, clock, meter }: ExecutorOptions): Executor {
  const nowMs = (): number => clock.nowMs();
  const timeout = createQueryTimeout({ nowMs, maxMs: source.queryTimeoutMs });
  const limiter = createInFlightLimiter(clock, meter, source.maxQueries);
  const suspensions = createSuspensions(nowMs, meter);
  const hasty = new WeakSet<Error>();
  return {
    isHasty: (error) => hasty.has(error),
    async execute({ promql, account, kind, caller, maxMs }, signal, abort) {
      suspensions.check(promql);
      const release = await limiter.acquire(account, signal, abort);
      const timeoutMs = timeout.grantedMs(caller.signal(), kind, maxMs);
      let end: QueryEnd = "failed";
      try {
        const namespace = source.isByNamespace === true ? account.namespace : undefined;
        const limits = namespace === undefined ? { signal, timeoutMs } : { signal, timeoutMs, namespace };
        const result = await circuit.run(() => source.client.query(promql, limits));
        end = "succeeded";
        suspensions.succeeded(promql);
        return result;
      } catch (error) {
        const isTimeout = error instanceof PrometheusError && error.kind === "timeout";
        if (isTimeout && !timeout.isFair(timeoutMs)) {
          hasty.add(error);
        } else {
          if (isTimeout) end = "timeout";
          suspensions.failed(promql, error);
        }
        throw error;
      } finally {
        release(end);
      }
    },
  };
}
