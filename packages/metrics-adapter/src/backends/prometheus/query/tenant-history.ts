// Remembers which queries of tenants succeeded and which timed out, and how long each namespace pauses.
import { createHash } from "node:crypto";
import {
  backoffMs,
  type CacheMeter,
  type Clock,
  createFairCache,
  getOrAdd,
  steadyNowMs,
} from "@plimsoll/component-base";

/** A query that a tenant wrote: of a MetricRule, or of a WorkloadAutoscaler. */
export interface TenantQuery {
  readonly namespace: string;
  /** Identifies its text. */
  readonly key: string;
}

/** Why a query is not sent. */
export interface Refusal {
  readonly message: string;
  readonly retryAfterMs: number;
}

export type TenantHistory = ReturnType<typeof createTenantHistory>;

interface TenantTimeout {
  readonly sinceMs: number;
  /** Whether the connection ended without a response: it is unknown for how long the query runs. */
  readonly isCut: boolean;
  /** Queries of the rules file failed meanwhile, and none succeeded: the server is slow for all. */
  readonly isGeneral: boolean;
}

interface Namespace {
  timeouts: number;
  countedAtMs: number;
  pausedUntilMs: number;
  /** Queries that timed out since their last success, and when each is sent again. */
  readonly timedOut: Map<string, number>;
}

const BASE_MS = 30_000;
/** Where Prometheus answers, if late: it has no slot taken during the pause. */
const MAX_PAUSE_MS = 300_000;
const MAX_CUT_PAUSE_MS = 3_600_000;
/** So much later than the other queries of the namespace the one that timed out is sent again: they go first. */
const LAST_MS = 15_000;
/** Status checks send each query every 40 minutes or more often. */
const PROVEN_MS = 3_600_000;
const FORGET_MS = 7_200_000;
const MAX_TIMED_OUT = 100;
const MAX_PROVEN_BYTES = 4 * 1024 * 1024;

export function tenantQuery(namespace: string, promql: string): TenantQuery {
  const key = promql.length <= 256 ? promql : createHash("sha256").update(promql).digest("base64");
  return { namespace, key };
}

export function createTenantHistory(clock: Clock, meter?: CacheMeter) {
  const nowMs = (): number => steadyNowMs(clock);
  const proven = createFairCache<true>({
    name: "proven_queries",
    meter,
    maxBytes: MAX_PROVEN_BYTES,
    sizeOf: () => 0,
    ttlMs: PROVEN_MS,
    nowMs: () => clock.nowMs(),
  });
  const namespaces = new Map<string, Namespace>();

  return {
    /** Whether the query succeeded lately, and has not timed out since. */
    isProven: ({ namespace, key }: TenantQuery): boolean => proven.get(namespace, key) === true,
    /** Timeouts of the namespace, one after the other; queries that time out together count once. */
    timeouts: (namespace: string): number => namespaces.get(namespace)?.timeouts ?? 0,
    /** When the pause of the namespace ends, by the steady clock; before now when there is none. */
    pausedUntilMs: (namespace: string): number => namespaces.get(namespace)?.pausedUntilMs ?? 0,
    /** Returns whether it had timed out before. */
    succeeded({ namespace, key }: TenantQuery): boolean {
      proven.set(namespace, key, true);
      const known = namespaces.get(namespace);
      if (known?.timedOut.delete(key) !== true) return false;
      if (known.timedOut.size === 0) namespaces.delete(namespace);
      return true;
    },
    timedOut({ namespace, key }: TenantQuery, timeout: TenantTimeout): void {
      for (const [name, { countedAtMs }] of namespaces)
        if (nowMs() - countedAtMs > FORGET_MS) namespaces.delete(name);
      proven.delete(namespace, key);
      addTimeout(getOrAdd(namespaces, namespace, newNamespace), key, { ...timeout, nowMs: nowMs() });
    },
    /** @param busyUntilMs until then an earlier query of the namespace may run, by the steady clock */
    refusal({ namespace, key }: TenantQuery, busyUntilMs: number): Refusal | undefined {
      const known = namespaces.get(namespace);
      if (known === undefined || proven.get(namespace, key) === true) return undefined;
      const untilMs = Math.max(known.pausedUntilMs, known.timedOut.get(key) ?? 0, busyUntilMs);
      const retryAfterMs = untilMs - nowMs();
      if (retryAfterMs <= 0) return undefined;
      const mayRun = busyUntilMs > nowMs();
      const nextAtMs = clock.nowMs() + retryAfterMs;
      const message = messageFor(namespace, { queries: known.timedOut.size, mayRun, nextAtMs });
      return { message, retryAfterMs };
    },
  };
}

const newNamespace = (): Namespace => ({
  timeouts: 0,
  countedAtMs: Number.NEGATIVE_INFINITY,
  pausedUntilMs: 0,
  timedOut: new Map(),
});

function addTimeout(
  known: Namespace,
  key: string,
  { sinceMs, isCut, isGeneral, nowMs }: TenantTimeout & { readonly nowMs: number },
): void {
  const isNew = sinceMs >= known.countedAtMs;
  if (isNew) known.countedAtMs = nowMs;
  if ((isNew && !isGeneral) || known.timeouts === 0) known.timeouts += 1;
  const pauseMs = isGeneral ? BASE_MS : isCut ? cutPauseMs(known.timeouts) : pauseOf(known.timeouts);
  known.pausedUntilMs = Math.max(known.pausedUntilMs, nowMs + pauseMs);
  known.timedOut.delete(key);
  known.timedOut.set(key, known.pausedUntilMs + LAST_MS);
  const [oldest] = known.timedOut.keys();
  if (known.timedOut.size > MAX_TIMED_OUT && oldest !== undefined) known.timedOut.delete(oldest);
}

function pauseOf(timeouts: number): number {
  return backoffMs(timeouts - 1, { baseMs: BASE_MS, maxMs: MAX_PAUSE_MS });
}

/** For how long a query may run whose connection ended without a response. */
export function cutPauseMs(timeouts: number): number {
  return backoffMs(timeouts - 1, { baseMs: BASE_MS, maxMs: MAX_CUT_PAUSE_MS });
}

function messageFor(
  namespace: string,
  {
    queries,
    mayRun,
    nextAtMs,
  }: { readonly queries: number; readonly mayRun: boolean; readonly nextAtMs: number },
): string {
  const timedOut = `${queries === 1 ? "1 query" : `${queries} queries`} of the namespace ${namespace} timed out`;
  const at = new Date(nextAtMs).toISOString().replace(/\.\d+Z$/, "Z");
  const paused = `Queries of this namespace that did not succeed in the last hour are not sent before ${at}`;
  const remedy = `Make them cheaper: kubectl describe metricrules,workloadautoscalers --namespace ${namespace}`;
  return `${timedOut}${mayRun ? " and may still run in Prometheus" : ""}. ${paused}. ${remedy}`;
}
