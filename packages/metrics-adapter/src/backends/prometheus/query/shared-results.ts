// Shares results among requests: single flight, and reuse within an age bound.
import {
  type Awaitable,
  createBoundedCache,
  createFairCache,
  createLogLimiter,
} from "@plimsoll/component-base";
import type { Freshness } from "@plimsoll/metric-rules";
import { createSingleFlight, type InstantResult } from "@plimsoll/prometheus";
import type { EngineSeams } from "../seams.ts";
import type { ExecutableQuery, Executor } from "./execute.ts";

/** Results that requests share: identical queries in flight are one, and a result is reused within its age bound. */
export interface SharedResults {
  /** Synchronous when the result is cached. Rejects with PrometheusError, or with the caller's signal's reason. */
  get(query: ExecutableQuery): Awaitable<InstantResult>;
  /** What get would give synchronously. */
  cached(query: Pick<ExecutableQuery, "promql" | "kind" | "account">): InstantResult | undefined;
  /** Whether get would send no query: the result is cached, or on its way. */
  isShared(query: CachedQuery): boolean;
  /** Of a result that get gave. */
  freshnessOf(result: InstantResult, kind: ExecutableQuery["kind"]): Freshness;
}

export interface SharedResultsOptions extends EngineSeams {
  readonly executor: Executor;
  /** How old the data of a reused result may be; 0 turns reuse off. */
  readonly maxAgeMs: number;
  /** Of queries and results together. */
  readonly maxBytes?: number;
  /** Whether namespaces share nothing but the bytes, and these fairly. */
  readonly isByNamespace?: boolean;
}

/** Queries with the names of a thousand objects fit; the results of longer ones are not cached. */
const MAX_QUERY_LENGTH = 65_536;
const MAX_BYTES = 32 * 1024 * 1024;
const WARNING_PAUSE_MS = 60_000;

export function createSharedResults(options: SharedResultsOptions): SharedResults {
  const { clock, executor, maxAgeMs, telemetry, isByNamespace = false } = options;
  const keyOf = ({ promql, account: { namespace = "" } }: CachedQuery): string =>
    isByNamespace ? `${namespace}\n${promql}` : promql;
  const flights = createSingleFlight<InstantResult>();
  const cache = createResultCache(options);
  const logWarnings = createWarnings(options);

  const fetch = async (
    ...[query, signal, abort]: Parameters<Executor["execute"]>
  ): Promise<InstantResult> => {
    const sentAtMs = clock.nowMs();
    const result = await executor.execute(query, signal, abort);
    const dataAtMs = Math.min(sentAtMs, oldestSampleMs(result));
    logWarnings(query, result, dataAtMs);
    if (!isTooLarge(query, result)) cache.set(query, result, dataAtMs);
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
      const result = await flights.run(keyOf(query), work, query.caller.signal());
      telemetry.queryServed(isOwn ? "prometheus" : query.kind === "batched" ? "batch" : "shared");
      return result;
    } catch (error) {
      const isOthers = !isOwn && error instanceof Error && executor.isHasty(error);
      if (!isOthers || query.caller.signal().aborted) throw error;
      return await get(query);
    }
  };

  const cached: SharedResults["cached"] = (query) => {
    const result = maxAgeMs > 0 ? cache.get(query) : undefined;
    if (result !== undefined) reused(query.kind);
    return result;
  };
  const get = (query: ExecutableQuery): Awaitable<InstantResult> => cached(query) ?? join(query);

  return {
    get,
    cached,
    isShared: (query) => (maxAgeMs > 0 && cache.get(query) !== undefined) || flights.has(keyOf(query)),
    freshnessOf: (result, kind) => ({ isFresh: () => cache.isFresh(result), reused: () => reused(kind) }),
  };
}

/** What is cached by: the namespace counts only where namespaces share nothing. */
type CachedQuery = Pick<ExecutableQuery, "promql" | "account">;

function createResultCache(options: SharedResultsOptions) {
  const { clock, maxAgeMs } = options;
  const nowMs = (): number => clock.nowMs();
  const results = createStore(options);
  const dataTimes = new WeakMap<InstantResult, number>();
  const isFresh = (result: InstantResult): boolean => {
    const ageMs = nowMs() - (dataTimes.get(result) ?? Number.NaN);
    // A clock that was set back must not keep a result alive.
    return maxAgeMs > 0 && ageMs >= 0 && ageMs <= maxAgeMs;
  };
  return {
    isFresh,
    get(query: CachedQuery): InstantResult | undefined {
      const result = results.get(query);
      if (result === undefined || isFresh(result)) return result;
      results.delete(query);
      return undefined;
    },
    set(query: CachedQuery, result: InstantResult, dataAtMs: number): void {
      dataTimes.set(result, dataAtMs);
      if (maxAgeMs > 0) results.set(query, result, dataAtMs + maxAgeMs + 1 - nowMs());
    },
  };
}

interface Store {
  get(query: CachedQuery): InstantResult | undefined;
  set(query: CachedQuery, result: InstantResult, ttlMs: number): void;
  delete(query: CachedQuery): void;
}

function createStore({ clock, maxAgeMs, maxBytes, meter, isByNamespace }: SharedResultsOptions): Store {
  const shared = {
    meter,
    maxBytes: maxBytes ?? MAX_BYTES,
    maxKeyLength: MAX_QUERY_LENGTH,
    sizeOf: sizeOfResult,
    ttlMs: maxAgeMs + 1,
    nowMs: () => clock.nowMs(),
  };
  if (isByNamespace !== true) {
    const results = createBoundedCache<InstantResult>({ ...shared, name: "results" });
    return {
      get: ({ promql }) => results.get(promql),
      set: ({ promql }, result, ttlMs) => results.set(promql, result, ttlMs),
      delete: ({ promql }) => results.delete(promql),
    };
  }
  const results = createFairCache<InstantResult>({ ...shared, name: "rule_results" });
  return {
    get: ({ promql, account: { namespace = "" } }) => results.get(namespace, promql),
    set: ({ promql, account: { namespace = "" } }, result, ttlMs) =>
      results.set(namespace, promql, result, ttlMs),
    delete: ({ promql, account: { namespace = "" } }) => results.delete(namespace, promql),
  };
}

/** Whether a result has so many samples that no caller can use it. */
function isTooLarge({ maxSamples }: ExecutableQuery, result: InstantResult): boolean {
  return maxSamples !== undefined && result.type === "vector" && result.samples.length > maxSamples;
}

/** Logs what Prometheus warns of, now and then for each namespace, and once that results are too old to be reused. */
function createWarnings({
  clock,
  log,
  telemetry,
  maxAgeMs,
}: SharedResultsOptions): (query: CachedQuery, result: InstantResult, dataAtMs: number) => void {
  const isDue = createLogLimiter(clock, WARNING_PAUSE_MS);
  let isAgeLogged = false;
  return ({ promql, account: { namespace = "" } }, { warnings }, dataAtMs) => {
    if (warnings.length > 0) {
      telemetry.prometheusWarnings(warnings.length);
      // A server that lacks a part of its data says so with each response.
      if (isDue(namespace))
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
