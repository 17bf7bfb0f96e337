import { type PrometheusClient, PrometheusError } from "@plimsoll/prometheus";
import type { PrometheusEndpoint, PrometheusOutcome, PrometheusRequest } from "../../telemetry/prometheus.ts";

/** The same client, with every request timed. seconds is a monotonic clock. */
export function instrumentPrometheus(
  client: PrometheusClient,
  observe: (request: PrometheusRequest) => void,
  seconds: () => number,
): PrometheusClient {
  const timed = async <T>(
    endpoint: PrometheusEndpoint,
    request: Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> => {
    const startedAt = seconds();
    let outcome: PrometheusOutcome = "ok";
    try {
      return await request;
    } catch (error) {
      outcome = outcomeOf(error, signal);
      throw error;
    } finally {
      observe({ endpoint, outcome, seconds: seconds() - startedAt });
    }
  };
  return {
    query: (promql, options) => timed("query", client.query(promql, options), options?.signal),
    queryRange: (promql, options) => timed("query", client.queryRange(promql, options), options.signal),
    series: (matches, options) => timed("series", client.series(matches, options), options.signal),
    labelNames: (matches, options) => timed("labels", client.labelNames(matches, options), options.signal),
    labelValues: (label, matches, options) =>
      timed("label_values", client.labelValues(label, matches, options), options.signal),
    close: () => client.close(),
  };
}

function outcomeOf(error: unknown, signal: AbortSignal | undefined): PrometheusOutcome {
  if (error instanceof PrometheusError) return error.kind;
  return signal?.aborted === true ? "canceled" : "other";
}
