// Shares results among requests: single flight, and reuse within an age bound.
import {
  type Awaitable,
  type CacheMeter,
  type Clock,
  createBoundedCache,
  type Logger,
} from "@plimsoll/component-base";
import { createSingleFlight, type InstantResult } from "@plimsoll/prometheus";
import type { EngineTelemetry } from "../../../telemetry/prometheus.ts";
import type { ExecutableQuery, Executor } from "./execute.ts";
import type { Freshness } from "./freshness.ts";

/** Results that requests share: identical queries in flight are one, and a result is reused within its age bound. */
export interface SharedResults {
  /** Synchronous when the result is cached. Rejects with PrometheusError, or with the caller's signal's reason. */
  get(query: ExecutableQuery): Awaitable<InstantResult>;
  /** What get would give synchronously. */
  cached(query: Pick<ExecutableQuery, "promql" | "kind">): InstantResult | undefined;
  /** Of a result that get gave. */
  freshnessOf(result: InstantResult, kind: ExecutableQuery["kind"]): Freshness;
}

export interface SharedResultsOptions {
  readonly executor: Executor;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: EngineTelemetry;
  readonly meter?: CacheMeter | undefined;
  /** How old the data of a reused result may be; 0 turns reuse off. */
  readonly maxAgeMs: number;
  /** Of queries and results together. */
  readonly maxBytes?: number;
}

/** Queries with the names of a thousand objects fit; the results of longer ones are not cached. */
const MAX_QUERY_LENGTH = 65_536;
const MAX_BYTES = 32 * 1024 * 1024;

export function createSharedResults(options: SharedResultsOptions): SharedResults {
  const { clock, executor, maxAgeMs, telemetry } = options;
  const flights = createSingleFlight<InstantResult>();
  const cache = createResultCache(options);
  const logWarnings = createWarnings(options);

  const fetch = async (
    ...[query, signal, abort]: Parameters<Executor["execute"]>
  ): Promise<InstantResult> => {
    const sentAtMs = clock.nowMs();
    const result = await executor.execute(query, signal, abort);
    const dataAtMs = Math.min(sentAtMs, oldestSampleMs(result));
    logWarnings(query.promql, result, dataAtMs);
    cache.set(query.promql, result, dataAtMs);
    return result;
  };

  const reused = (kind: ExecutableQuery["kind"]): void =>
    telemetry.queryServed(kind === "batched" ? "batch" : "cache");

  const join = async (query: ExecutableQuery): Promise<InstantResult> => {
    let isOwn = false;
    const work = (signal: AbortSignal, abort: (reason: unknown) => void): Promise<InstantResult> => {
      isOwn = true;
      return fetch(query, signal, abort);
    };
    try {
      const result = await flights.run(query.promql, work, query.caller.signal());
      telemetry.queryServed(isOwn ? "prometheus" : query.kind === "batched" ? "batch" : "shared");
      return result;
    } catch (error) {
      const isOthers = !isOwn && error instanceof Error && executor.isHasty(error);
      if (!isOthers || query.caller.signal().aborted) throw error;
      return await get(query);
    }
  };

  const cached: SharedResults["cached"] = ({ promql, kind }) => {
    const result = maxAgeMs > 0 ? cache.get(promql) : undefined;
    if (result !== undefined) reused(kind);
    return result;
  };
  const get = (query: ExecutableQuery): Awaitable<InstantResult> => cached(query) ?? join(query);

  return {
    get,
    cached,
    freshnessOf: (result, kind) => ({ isFresh: () => cache.isFresh(result), reused: () => reused(kind) }),
  };
}

interface ResultCache {
  get(promql: string): InstantResult | undefined;
  set(promql: string, result: InstantResult, dataAtMs: number): void;
  isFresh(result: InstantResult): boolean;
}

function createResultCache({ clock, maxAgeMs, maxBytes, meter }: SharedResultsOptions): ResultCache {
  const nowMs = (): number => clock.nowMs();
  const results = createBoundedCache<InstantResult>({
    name: "results",
    meter,
    maxBytes: maxBytes ?? MAX_BYTES,
    maxKeyLength: MAX_QUERY_LENGTH,
    sizeOf: sizeOfResult,
    ttlMs: maxAgeMs + 1,
    nowMs,
  });
  const dataTimes = new WeakMap<InstantResult, number>();
  const isFresh = (result: InstantResult): boolean => {
    const ageMs = nowMs() - (dataTimes.get(result) ?? Number.NaN);
    // A clock that was set back must not keep a result alive.
    return maxAgeMs > 0 && ageMs >= 0 && ageMs <= maxAgeMs;
  };
  return {
    isFresh,
    get(promql) {
      const result = results.get(promql);
      if (result === undefined || isFresh(result)) return result;
      results.delete(promql);
      return undefined;
    },
    set(promql, result, dataAtMs) {
      dataTimes.set(result, dataAtMs);
      if (maxAgeMs > 0) results.set(promql, result, dataAtMs + maxAgeMs + 1 - nowMs());
    },
  };
}

/** Logs what Prometheus warns of, and once that results are too old to be reused. */
function createWarnings({
  clock,
  log,
  telemetry,
  maxAgeMs,
}: SharedResultsOptions): (promql: string, result: InstantResult, dataAtMs: number) => void {
  let isAgeLogged = false;
  return (promql, { warnings }, dataAtMs) => {
    if (warnings.length > 0) {
      telemetry.prometheusWarnings(warnings.length);
      log.warn({ promql: promql.slice(0, 500), warnings }, "Prometheus returned a warning");
    }
    const ageMs = clock.nowMs() - dataAtMs;
    if (isAgeLogged || maxAgeMs <= 0 || ageMs <= maxAgeMs) return;
    isAgeLogged = true;
    log.warn({ ageMs, maxAgeMs }, "samples of Prometheus are too old to be cached; check the clocks");
  };
}

/** What a result takes in memory, with what it is grouped into. Series have the labels that their owners like. */
function sizeOfResult(result: InstantResult): number {
  if (result.type === "string") return 2 * result.text.length;
  if (result.type !== "vector") return 1_000;
  let bytes = 200;
  for (const { labels } of result.samples) {
    bytes += 300;
    for (const name of Object.keys(labels)) bytes += 48 + 2 * (name.length + (labels[name]?.length ?? 0));
  }
  return bytes;
}

/** The oldest data in a result. */
function oldestSampleMs(result: InstantResult): number {
  if (result.type === "scalar") return result.atMs;
  if (result.type !== "vector") return Number.POSITIVE_INFINITY;
  let oldest = Number.POSITIVE_INFINITY;
  for (const { atMs } of result.samples) if (atMs < oldest) oldest = atMs;
  return oldest;
}
