// Limits discovery queries in flight, and stops them when Prometheus cannot be reached.
import { type Clock, createLimit, steadyNowMs } from "@plimsoll/component-base";
import { type PrometheusClient, PrometheusError } from "@plimsoll/prometheus";
import type { Circuit } from "../circuit.ts";

export interface LimitDiscoveryOptions {
  readonly prometheus: PrometheusClient;
  readonly circuit: Circuit;
  readonly clock: Clock;
}

/** Of the client's 64 connections: queries have 48. */
const MAX_IN_FLIGHT = 12;
/** Requests that hang end by their timeout. When many do, the rules that are left are listed at the next relist. */
const MAX_WAIT_MS = 20_000;

/**
 * The same client for relists: few requests at a time, so that rules that hang take no connection from queries, and
 * none while Prometheus cannot be reached.
 */
export function limitDiscovery({ prometheus, circuit, clock }: LimitDiscoveryOptions): PrometheusClient {
  const limit = createLimit(MAX_IN_FLIGHT);

  const limited = <T>(send: () => Promise<T>): Promise<T> => {
    const sinceMs = steadyNowMs(clock);
    return limit(() => {
      if (steadyNowMs(clock) - sinceMs <= MAX_WAIT_MS) return circuit.run(send);
      throw new PrometheusError("timeout", `discovery waited ${MAX_WAIT_MS / 1000} s for rules that hang`);
    });
  };

  return {
    query: (...request) => limited(() => prometheus.query(...request)),
    queryRange: (...request) => limited(() => prometheus.queryRange(...request)),
    series: (...request) => limited(() => prometheus.series(...request)),
    labelNames: (...request) => limited(() => prometheus.labelNames(...request)),
    labelValues: (...request) => limited(() => prometheus.labelValues(...request)),
    close: () => prometheus.close(),
  };
}
