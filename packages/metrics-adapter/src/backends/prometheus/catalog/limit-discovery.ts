// Limits discovery queries in flight, and stops them when Prometheus cannot be reached.
import { type Clock, createLimit, steadyNowMs } from "@plimsoll/component-base";
import { type PrometheusClient, PrometheusError } from "@plimsoll/prometheus";
import type { Circuit } from "../circuit.ts";

export interface LimitDiscoveryOptions {
  readonly prometheus: PrometheusClient;
  readonly circuit: Circuit;
  readonly clock: Clock;
  /** How long one request may take, and wait for those before it [60 s]: a list of all series takes longer than a query. */
  readonly listTimeoutMs?: number | undefined;
}

/** Of the client's 64 connections: queries have 48. */
const MAX_IN_FLIGHT = 12;
const defaultTimeoutMs = 60_000;

/**
 * The same client for relists: few requests at a time, so that rules that hang take no connection from queries, and
 * none while Prometheus cannot be reached. When many hang, the rules that are left are listed at the next relist.
 */
export function limitDiscovery({
  prometheus,
  circuit,
  clock,
  listTimeoutMs: timeoutMs = defaultTimeoutMs,
}: LimitDiscoveryOptions): PrometheusClient {
  const limit = createLimit(MAX_IN_FLIGHT);

  const limited = <T>(send: () => Promise<T>): Promise<T> => {
    const sinceMs = steadyNowMs(clock);
    return limit(() => {
      if (steadyNowMs(clock) - sinceMs <= timeoutMs) return circuit.run(send).catch(explain);
      throw new PrometheusError("timeout", `discovery waited ${timeoutMs / 1000} s for rules that hang`);
    });
  };

  return {
    query: (promql, limits) => limited(() => prometheus.query(promql, { timeoutMs, ...limits })),
    queryRange: (promql, range) => limited(() => prometheus.queryRange(promql, { timeoutMs, ...range })),
    series: (matches, range) => limited(() => prometheus.series(matches, { timeoutMs, ...range })),
    labelNames: (matches, range) => limited(() => prometheus.labelNames(matches, { timeoutMs, ...range })),
    labelValues: (label, matches, range) =>
      limited(() => prometheus.labelValues(label, matches, { timeoutMs, ...range })),
    close: () => prometheus.close(),
  };
}

function explain(error: unknown): never {
  if (!(error instanceof PrometheusError) || error.kind !== "timeout") throw error;
  const { status, retryAfterMs } = error;
  const message = `${error.message}; a list may take longer with --metrics-list-timeout`;
  throw new PrometheusError("timeout", message, { status, retryAfterMs });
}
