import { type PrometheusClient, PrometheusError } from "@plimsoll/prometheus";
import type { EngineTelemetry, PrometheusEndpoint } from "../engine-telemetry.ts";

/** The same client, with every request timed. seconds is a monotonic clock. */
export function instrumentPrometheus(
  client: PrometheusClient,
  telemetry: EngineTelemetry,
  seconds: () => number,
): PrometheusClient {
  const timed = async <T>(endpoint: PrometheusEndpoint, request: Promise<T>): Promise<T> => {
    const startedAt = seconds();
    let outcome = "ok";
    try {
      return await request;
    } catch (error) {
      outcome = error instanceof PrometheusError ? error.kind : "other";
      throw error;
    } finally {
      telemetry.prometheusRequest({ endpoint, outcome, seconds: seconds() - startedAt });
    }
  };
  return {
    query: (promql, options) => timed("query", client.query(promql, options)),
    queryRange: (promql, options) => timed("query", client.queryRange(promql, options)),
    series: (matches, options) => timed("series", client.series(matches, options)),
    labelNames: (matches, options) => timed("labels", client.labelNames(matches, options)),
    labelValues: (label, matches, options) =>
      timed("label_values", client.labelValues(label, matches, options)),
    close: () => client.close(),
  };
}
