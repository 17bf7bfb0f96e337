// Counts queries in flight by metric and namespace against their limits.
import { type CacheMeter, type Clock, steadyNowMs } from "@plimsoll/component-base";
import type { Source } from "../source.ts";
import { createCounts, type Limit } from "./counts.ts";
import { createMetricHealth, type Health } from "./metric-health.ts";
import type { Refusal, TenantQuery } from "./tenant-history.ts";
import { createTenantPlaces, type TenantRun } from "./tenant-places.ts";

/** What a query is counted under. */
export interface Account {
  /** The metric of a rule. */
  readonly metric: string;
  /** Of the caller; undefined where it queries the whole cluster. */
  readonly namespace: string | undefined;
  /** The query itself, where a tenant wrote it; undefined for queries of the rules file. */
  readonly tenantQuery?: TenantQuery | undefined;
}

/** A query, with the keys of the limits that count it. */
export interface CountedQuery {
  readonly account: Account;
  readonly metricKey: string;
  readonly namespaceKey: string;
  readonly bothKey: string;
  /** Since it began: the keys of the limits that it takes from. */
  countedUnder: readonly string[];
  /** Since it began, where a tenant wrote it. */
  tenantRun: TenantRun | undefined;
}

/** away: there was no server. */
export type QueryEnd = "succeeded" | "timeout" | "failed" | "away";

/** Counts queries in flight, by metric, by namespace, and by the health of the metrics. */
export interface Limits {
  query(account: Account): CountedQuery;
  /** Why it is not sent now, and does not wait either. */
  refusal(query: CountedQuery): Refusal | undefined;
  /** The first limit that is reached; undefined when the query may start. */
  exceeded(query: CountedQuery): Limit | undefined;
  isBelow(limit: Limit): boolean;
  begin(query: CountedQuery): void;
  /**
   * Returns whether the metric's health changed, so that other limits may apply.
   * @param mayRun whether it ended without a response, and Prometheus may still run it
   */
  end(query: CountedQuery, end: QueryEnd, mayRun: boolean): boolean;
  /** After it may have run on: whether Prometheus has answered since then, or it can no longer be known. */
  settled(query: CountedQuery, isAnswered: boolean): void;
  /** Queries of tenants whose callers have left, and that may still run in Prometheus. */
  unanswered(): number;
  /** How many of the namespace are in flight. */
  inNamespace(query: CountedQuery): number;
  healthOf(metric: string): Health;
}

/** Of 64 connections, the rest is for discovery. Prometheus evaluates 20 queries at a time unless it is set otherwise. */
const ALL = "all";
const OF_ALL = { max: 48, maxStalled: 16 };
/** Of metrics without a success lately, so that the others always have the rest. */
const UNPROVEN = "unproven";
const OF_UNPROVEN = { max: 16, maxStalled: 8 };
/** Of metrics that time out in every namespace. */
const SLOW = "slow";
const OF_SLOW = { max: 8, maxStalled: 8 };
const OF_NAMESPACE = { max: 8, maxStalled: 4 };
/** With those that Prometheus may still run: to end one that is stalled leaves no more room. */
const OF_NAMESPACE_HELD = { max: 12, maxStalled: Number.POSITIVE_INFINITY };
const OF_METRIC = { max: 16, maxStalled: 8 };
const OF_UNPROVEN_METRIC = { max: 4, maxStalled: 2 };
const OF_SLOW_METRIC = { max: 4, maxStalled: 4 };
const WHERE_SLOW = { max: 1, maxStalled: 1 };

/** Of a source. */
export type QueryLimits = Pick<Source, "maxQueries" | "maxTenantQueries">;

/** What Prometheus evaluates at a time. */
const SLOTS = 20;
/** Two replicas of the adapter leave 8 of 20 slots. */
const TENANTS_SHARE = 0.3;

export function createLimits(
  clock: Clock,
  meter?: CacheMeter,
  { maxQueries: max = OF_ALL.max, maxTenantQueries }: QueryLimits = {},
): Limits {
  const ofAll = { max, maxStalled: Math.min(OF_ALL.maxStalled, Math.ceil(max / 3)) };
  const counts = createCounts();
  const health = createMetricHealth(() => clock.nowMs(), meter);
  const held = createHeldPlaces(() => steadyNowMs(clock));
  const ofTenants = maxTenantQueries ?? Math.ceil(TENANTS_SHARE * Math.min(SLOTS, max));
  const server = createServerHealth(clock);
  const tenants = createTenantPlaces(ofTenants, counts, { clock, meter, wasAwaySince: server.wasAwaySince });
  const over = createOver(counts.of, held.of);

  return {
    query: countedQuery,
    refusal: ({ account: { tenantQuery } }) => tenantQuery && tenants.refusal(tenantQuery),
    exceeded(query) {
      const { account, bothKey } = query;
      const known = health.of(account.metric);
      // From the narrowest to the widest: what waits for its own kind takes nothing from the others.
      return (
        (isSlowThere(known, account) ? over.own(bothKey, WHERE_SLOW) : undefined) ??
        over.namespace(query) ??
        over.metric(query, known) ??
        (account.tenantQuery === undefined ? undefined : tenants.exceeded(account.tenantQuery)) ??
        over.shared(ALL, ofAll, query)
      );
    },
    begin(query) {
      const { metric, tenantQuery } = query.account;
      query.countedUnder = keysOf(query, health.of(metric));
      counts.add(query.countedUnder, 1);
      query.tenantRun = tenantQuery && tenants.begin(tenantQuery);
    },
    end(query, end, mayRun) {
      const { account, countedUnder, namespaceKey, tenantRun } = query;
      const { metric, namespace = "" } = account;
      counts.add(countedUnder, -1);
      tenantRun?.[mayRun ? "left" : "ended"](
        end === "away" ? "failed" : end,
        server.isSlowSince(tenantRun.sinceMs),
      );
      if (tenantRun === undefined) {
        server.ended(end);
        if (mayRun) held.add(namespaceKey);
      }
      if (end === "failed" || end === "away") return false;
      if (end === "succeeded") return health.succeeded(metric);
      health.timedOut(metric, namespace);
      return true;
    },
    settled: ({ tenantRun }, isAnswered) => tenantRun?.settled(isAnswered),
    unanswered: tenants.unanswered,
    isBelow: ({ key, max: most }) => counts.of(key) < most,
    inNamespace: ({ namespaceKey }) => counts.of(namespaceKey),
    healthOf: (metric) => health.of(metric),
  };
}

function countedQuery(account: Account): CountedQuery {
  const { metric, namespace = "" } = account;
  return {
    account,
    metricKey: `metric ${metric}`,
    namespaceKey: `namespace ${namespace}`,
    bothKey: `both ${namespace} ${metric}`,
    countedUnder: [],
    tenantRun: undefined,
  };
}

function keysOf({ bothKey, namespaceKey, metricKey }: CountedQuery, { state }: Health): readonly string[] {
  const keys = [bothKey, namespaceKey, metricKey, ALL];
  if (state !== "proven") keys.push(UNPROVEN, shareKey(UNPROVEN, namespaceKey));
  if (state === "slow") keys.push(SLOW, shareKey(SLOW, namespaceKey));
  return keys;
}

function createServerHealth(clock: Clock) {
  let succeededAtMs = Number.NEGATIVE_INFINITY;
  let timedOutAtMs = Number.NEGATIVE_INFINITY;
  let awayAtMs = Number.NEGATIVE_INFINITY;
  return {
    /** Whether there was no server at some time since then: it runs no query that began before. */
    wasAwaySince: (sinceMs: number): boolean => awayAtMs > sinceMs,
    /** A query of the rules file has ended. */
    ended(end: QueryEnd): void {
      if (end === "succeeded") succeededAtMs = steadyNowMs(clock);
      else if (end === "timeout") timedOutAtMs = steadyNowMs(clock);
      else if (end === "away") awayAtMs = steadyNowMs(clock);
    },
    /** Whether queries of the rules file timed out since then, and none succeeded. */
    isSlowSince: (sinceMs: number): boolean => timedOutAtMs >= sinceMs && succeededAtMs < sinceMs,
  };
}

/** Which limit is reached; undefined: none. */
interface Over {
  own(key: string, limit: Omit<Limit, "key">): Limit | undefined;
  /** Of what all namespaces share, none takes more than it leaves: one that has nothing yet finds a place. */
  shared(key: string, limit: Omit<Limit, "key">, query: CountedQuery): Limit | undefined;
  namespace(query: CountedQuery): Limit | undefined;
  metric(query: CountedQuery, health: Health): Limit | undefined;
}

type CountOf = (key: string) => number;

function createOver(countOf: CountOf, heldOf: CountOf): Over {
  const own: Over["own"] = (key, limit) => (countOf(key) < limit.max ? undefined : { key, ...limit });

  const shared: Over["shared"] = (key, limit, { account, namespaceKey }) => {
    const left = limit.max - countOf(key);
    const taken = account.namespace === undefined ? 0 : countOf(shareKey(key, namespaceKey));
    return left > taken ? undefined : { key, ...limit };
  };

  const metric: Over["metric"] = (query, { state }) => {
    const { metricKey } = query;
    if (state === "proven") return own(metricKey, OF_METRIC);
    const overUnproven = (): Limit | undefined => shared(UNPROVEN, OF_UNPROVEN, query);
    if (state !== "slow") return own(metricKey, OF_UNPROVEN_METRIC) ?? overUnproven();
    return own(metricKey, OF_SLOW_METRIC) ?? shared(SLOW, OF_SLOW, query) ?? overUnproven();
  };

  const namespace: Over["namespace"] = ({ account, namespaceKey: key }) => {
    if (account.namespace === undefined) return undefined;
    const isOver = countOf(key) + heldOf(key) >= OF_NAMESPACE_HELD.max;
    return isOver ? { key, ...OF_NAMESPACE_HELD } : own(key, OF_NAMESPACE);
  };
  return { own, shared, namespace, metric };
}

/** What a namespace has of what all share; of all queries its own count says that. */
function shareKey(key: string, namespaceKey: string): string {
  return key === ALL ? namespaceKey : `${key} ${namespaceKey}`;
}

/** Whether a metric times out in the namespace of the account. */
export function isSlowThere({ state, timedOutIn }: Health, { namespace = "" }: Account): boolean {
  return state === "slow" || timedOutIn.includes(namespace);
}

/** As long as a query that was sent with a timeout of 10 s may go on, where it reads many series in one step. */
const HOLD_MS = 30_000;

function createHeldPlaces(nowMs: () => number) {
  /** When each ends, the first one first. */
  const held = new Map<string, readonly number[]>();
  const forgetOld = (key: string): readonly number[] => {
    const now = nowMs();
    const left = (held.get(key) ?? []).filter((untilMs) => untilMs > now);
    if (left.length === 0) held.delete(key);
    else held.set(key, left);
    return left;
  };
  return {
    /** How many are held under the key. */
    of: (key: string): number => (held.has(key) ? forgetOld(key).length : 0),
    add(key: string): void {
      for (const one of held.keys()) forgetOld(one);
      held.set(key, [...(held.get(key) ?? []), nowMs() + HOLD_MS]);
    },
  };
}
