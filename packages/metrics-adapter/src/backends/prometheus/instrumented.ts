import {
  type LeftOut,
  type PrometheusClient,
  PrometheusError,
  type RequestLimits,
} from "@plimsoll/prometheus";
import type { PrometheusEndpoint, PrometheusOutcome, PrometheusRequest } from "../../telemetry/prometheus.ts";

/** What watches the requests of a client. */
export interface Instruments {
  /** A request has ended, with this error where it failed. */
  requested(request: PrometheusRequest, error: unknown): void;
  /** A response lacks items that were too large. */
  leftOut(lack: Lack): void;
  /** A monotonic clock. */
  seconds(): number;
}

export interface Lack {
  readonly endpoint: PrometheusEndpoint;
  /** The query, or the selectors. */
  readonly request: string;
  /** Undefined where it reads the whole cluster. */
  readonly namespace: string | undefined;
  readonly leftOut: LeftOut;
}

/** The same client, with every request watched. */
export function instrumentPrometheus(
  client: PrometheusClient,
  { requested, leftOut, seconds }: Instruments,
): PrometheusClient {
  const watched = async <T, O extends RequestLimits>(
    endpoint: PrometheusEndpoint,
    request: string,
    options: O,
    send: (options: O) => Promise<T>,
  ): Promise<T> => {
    const startedAt = seconds();
    let outcome: PrometheusOutcome = "ok";
    let failure: unknown;
    const namespace = options.budget?.namespace;
    const onLeftOut = (lack: LeftOut): void => leftOut({ endpoint, request, namespace, leftOut: lack });
    try {
      return await send({ ...options, onLeftOut });
    } catch (error) {
      outcome = outcomeOf(error, options.signal);
      failure = error;
      throw error;
    } finally {
      requested({ endpoint, outcome, seconds: seconds() - startedAt }, failure);
    }
  };
  return {
    query: (promql, options = {}) =>
      watched("query", promql, options, (limits) => client.query(promql, limits)),
    queryRange: (promql, options) =>
      watched("query", promql, options, (limits) => client.queryRange(promql, limits)),
    series: (matches, options) =>
      watched("series", matches.join(" "), options, (limits) => client.series(matches, limits)),
    labelNames: (matches, options) =>
      watched("labels", matches.join(" "), options, (limits) => client.labelNames(matches, limits)),
    labelValues: (label, matches, options) =>
      watched("label_values", matches.join(" "), options, (limits) =>
        client.labelValues(label, matches, limits),
      ),
    close: () => client.close(),
  };
}

function outcomeOf(error: unknown, signal: AbortSignal | undefined): PrometheusOutcome {
  if (error instanceof PrometheusError) return error.kind;
  return signal?.aborted === true ? "canceled" : "other";
}
