// Counts queries in flight by metric and namespace against their limits.
import type { CacheMeter } from "@plimsoll/component-base";
import { createMetricHealth, type Health } from "./metric-health.ts";

/** What a query is counted under. */
export interface Account {
  /** The metric of a rule. */
  readonly metric: string;
  /** Of the caller; undefined where it queries the whole cluster. */
  readonly namespace: string | undefined;
}

export interface Limit {
  readonly key: string;
  readonly max: number;
  /** Of these, those that may be stalled while other queries wait. */
  readonly maxStalled: number;
}

/** A query, with the keys of the limits that count it. */
export interface CountedQuery {
  readonly account: Account;
  readonly metricKey: string;
  readonly namespaceKey: string;
  readonly bothKey: string;
  /** Since it began: the keys of the limits that it takes from. */
  countedUnder: readonly string[];
}

export type QueryEnd = "succeeded" | "timeout" | "failed";

/** Counts queries in flight, by metric, by namespace, and by the health of the metrics. */
export interface Limits {
  query(account: Account): CountedQuery;
  /** The first limit that is reached; undefined when the query may start. */
  exceeded(query: CountedQuery): Limit | undefined;
  isBelow(limit: Limit): boolean;
  begin(query: CountedQuery): void;
  /** Returns whether the metric's health changed, so that other limits may apply. */
  end(query: CountedQuery, end: QueryEnd): boolean;
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
const OF_METRIC = { max: 16, maxStalled: 8 };
const OF_UNPROVEN_METRIC = { max: 4, maxStalled: 2 };
const OF_SLOW_METRIC = { max: 4, maxStalled: 4 };
const WHERE_SLOW = { max: 1, maxStalled: 1 };

export function createLimits(nowMs: () => number, meter?: CacheMeter, maxInFlight = OF_ALL.max): Limits {
  const ofAll = { max: maxInFlight, maxStalled: Math.min(OF_ALL.maxStalled, Math.ceil(maxInFlight / 3)) };
  const counts = new Map<string, number>();
  const health = createMetricHealth(nowMs, meter);
  const countOf = (key: string): number => counts.get(key) ?? 0;

  const over = createOver(countOf);

  const count = (keys: readonly string[], by: 1 | -1): void => {
    for (const key of keys) {
      const sum = countOf(key) + by;
      if (sum === 0) counts.delete(key);
      else counts.set(key, sum);
    }
  };

  return {
    query(account) {
      const { metric, namespace = "" } = account;
      const metricKey = `metric ${metric}`;
      const namespaceKey = `namespace ${namespace}`;
      return { account, metricKey, namespaceKey, bothKey: `both ${namespace} ${metric}`, countedUnder: [] };
    },
    exceeded(query) {
      const { account, namespaceKey, bothKey } = query;
      const known = health.of(account.metric);
      // From the narrowest to the widest: what waits for its own kind takes nothing from the others.
      return (
        (isSlowThere(known, account) ? over.own(bothKey, WHERE_SLOW) : undefined) ??
        (account.namespace === undefined ? undefined : over.own(namespaceKey, OF_NAMESPACE)) ??
        over.metric(query, known) ??
        over.shared(ALL, ofAll, query)
      );
    },
    begin(query) {
      const { state } = health.of(query.account.metric);
      const { namespaceKey } = query;
      const keys = [query.bothKey, namespaceKey, query.metricKey, ALL];
      if (state !== "proven") keys.push(UNPROVEN, shareKey(UNPROVEN, namespaceKey));
      if (state === "slow") keys.push(SLOW, shareKey(SLOW, namespaceKey));
      query.countedUnder = keys;
      count(keys, 1);
    },
    end({ account: { metric, namespace = "" }, countedUnder }, end) {
      count(countedUnder, -1);
      if (end === "failed") return false;
      if (end === "succeeded") return health.succeeded(metric);
      health.timedOut(metric, namespace);
      return true;
    },
    isBelow: ({ key, max }) => countOf(key) < max,
    inNamespace: ({ namespaceKey }) => countOf(namespaceKey),
    healthOf: (metric) => health.of(metric),
  };
}

/** Which limit is reached; undefined: none. */
interface Over {
  own(key: string, limit: Omit<Limit, "key">): Limit | undefined;
  /** Of what all namespaces share, none takes more than it leaves: one that has nothing yet finds a place. */
  shared(key: string, limit: Omit<Limit, "key">, query: CountedQuery): Limit | undefined;
  metric(query: CountedQuery, health: Health): Limit | undefined;
}

function createOver(countOf: (key: string) => number): Over {
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
  return { own, shared, metric };
}

/** What a namespace has of what all share; of all queries its own count says that. */
function shareKey(key: string, namespaceKey: string): string {
  return key === ALL ? namespaceKey : `${key} ${namespaceKey}`;
}

/** Whether a metric times out in the namespace of the account. */
export function isSlowThere({ state, timedOutIn }: Health, { namespace = "" }: Account): boolean {
  return state === "slow" || timedOutIn.includes(namespace);
}
