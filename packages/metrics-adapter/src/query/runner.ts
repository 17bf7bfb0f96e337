import type { Clock } from "@plimsoll/kube";
import { createSingleFlight, type InstantResult, type PrometheusClient } from "@plimsoll/prometheus";
import type { EngineTelemetry } from "../engine-telemetry.ts";
import type { Logger } from "../logger.ts";
import { createCircuit } from "./circuit.ts";
import { createResultCache } from "./result-cache.ts";

/** Evaluates a query. Rejects with PrometheusError, or with the signal's reason. */
export type RunQuery = (promql: string, signal: AbortSignal) => Promise<InstantResult>;

export interface QueryRunnerOptions {
  readonly prometheus: Pick<PrometheusClient, "query">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: EngineTelemetry;
  /** How old an answer may be when it is given again; 0 turns that off. */
  readonly resultMaxAgeMs: number;
}

/** Identical queries in flight are one, and a recent answer is given again within its age bound. */
export function createQueryRunner(options: QueryRunnerOptions): RunQuery {
  const { clock, telemetry } = options;
  const circuit = createCircuit({ clock });
  const flights = createSingleFlight<InstantResult>();
  const cache = createResultCache<InstantResult>({ maxAgeMs: options.resultMaxAgeMs, weigh });

  const fetch = async (promql: string, signal: AbortSignal): Promise<InstantResult> => {
    const fetchedAtMs = clock.nowMs();
    const result = await circuit.run(() => options.prometheus.query(promql, { signal }));
    if (result.warnings.length > 0) {
      telemetry.prometheusWarnings(result.warnings.length);
      options.log.warn(
        { promql: promql.slice(0, 500), warnings: result.warnings },
        "Prometheus warns about an answer",
      );
    }
    cache.set(promql, result, fetchedAtMs);
    return result;
  };

  return async (promql, signal) => {
    const cached = cache.get(promql, clock.nowMs());
    if (cached !== undefined) {
      telemetry.queryAnswered("cache");
      return cached;
    }
    let isOwn = false;
    const result = await flights.run(
      promql,
      (shared) => {
        isOwn = true;
        return fetch(promql, shared);
      },
      signal,
    );
    telemetry.queryAnswered(isOwn ? "prometheus" : "shared");
    return result;
  };
}

function weigh(result: InstantResult): number {
  return result.type === "vector" ? 1 + result.samples.length : 1;
}
