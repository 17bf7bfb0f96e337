import type { Clock } from "@plimsoll/kube";
import { createSingleFlight, type InstantResult, type PrometheusClient } from "@plimsoll/prometheus";
import type { EngineTelemetry } from "../engine-telemetry.ts";
import type { Logger } from "../logger.ts";
import type { Again } from "../provider/again.ts";
import { createCircuit } from "./circuit.ts";
import { createResultCache } from "./result-cache.ts";

export interface QueryRunner {
  /** Evaluates a query. Rejects with PrometheusError, or with the signal's reason. */
  run(promql: string, signal: AbortSignal, kind: QueryKind): Promise<InstantResult>;
  /** Of an answer that this runner gave: whether it may be given again, by the age of its data. */
  again(result: InstantResult, kind: QueryKind): Again;
}

/** own: for one request. batch: for all requests of a rule and namespace. */
export type QueryKind = "own" | "batch";

export interface QueryRunnerOptions {
  readonly prometheus: Pick<PrometheusClient, "query">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: EngineTelemetry;
  /** How old an answer may be when it is given again; 0 turns that off. */
  readonly resultMaxAgeMs: number;
}

/** Identical queries in flight are one, and a recent answer is given again within its age bound. */
export function createQueryRunner(options: QueryRunnerOptions): QueryRunner {
  const { clock, telemetry } = options;
  const circuit = createCircuit({ clock });
  const flights = createSingleFlight<InstantResult>();
  const cache = createResultCache<InstantResult>({ maxAgeMs: options.resultMaxAgeMs, weigh });

  const dataTimes = new WeakMap<InstantResult, number>();

  let isWarned = false;
  const warnOfAge = (dataAtMs: number): void => {
    if (isWarned) return;
    isWarned = true;
    options.log.warn(
      { ageMs: clock.nowMs() - dataAtMs, maxAgeMs: options.resultMaxAgeMs },
      "answers of Prometheus arrive too old to be used again; is one of the clocks wrong?",
    );
  };

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
    const dataAtMs = Math.min(fetchedAtMs, oldestSampleMs(result));
    if (clock.nowMs() - dataAtMs > options.resultMaxAgeMs && options.resultMaxAgeMs > 0) warnOfAge(dataAtMs);
    cache.set(promql, result, dataAtMs);
    dataTimes.set(result, dataAtMs);
    return result;
  };

  const isFresh = (result: InstantResult): boolean => {
    if (options.resultMaxAgeMs <= 0) return false;
    const ageMs = clock.nowMs() - (dataTimes.get(result) ?? Number.NaN);
    return ageMs >= 0 && ageMs <= options.resultMaxAgeMs;
  };

  return {
    async run(promql, signal, kind) {
      const cached = cache.get(promql, clock.nowMs());
      if (cached !== undefined) {
        telemetry.queryAnswered(kind === "batch" ? "batch" : "cache");
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
      telemetry.queryAnswered(isOwn ? "prometheus" : kind === "batch" ? "batch" : "shared");
      return result;
    },
    again: (result, kind) => ({
      holds: () => isFresh(result),
      given: () => telemetry.queryAnswered(kind === "batch" ? "batch" : "cache"),
    }),
  };
}

function weigh(result: InstantResult): number {
  return result.type === "vector" ? 1 + result.samples.length : 1;
}

/** The oldest data in an answer. */
function oldestSampleMs(result: InstantResult): number {
  if (result.type === "scalar") return result.atMs;
  if (result.type !== "vector") return Number.POSITIVE_INFINITY;
  let oldest = Number.POSITIVE_INFINITY;
  for (const { atMs } of result.samples) if (atMs < oldest) oldest = atMs;
  return oldest;
}
