// Gives each namespace its share of queries, so that slow rules of one delay no other.
import type { Awaitable } from "@plimsoll/component-base";
import type { CompiledRule } from "../compile/compiled.ts";
import type { RuleLimits } from "../compile/limits.ts";
import { failed, type QuerySource, type Ran, type RuleQuery } from "./outcome.ts";

interface Namespace {
  readonly queries: Map<string, RunningQuery>;
  /** Of all its requests, those included that wait for a place. */
  requests: number;
  /** In the order in which they came. */
  readonly waiting: Set<Waiting>;
}

interface RunningQuery {
  /** How many requests wait for it. */
  requests: number;
  /** One of them has ended, and with it mostly the query itself. */
  hasEnded: boolean;
}

interface Waiting {
  readonly key: string;
  readonly start: () => void;
}

type ShareLimits = Pick<RuleLimits, "queriesPerNamespace" | "requestsPerNamespace" | "requests">;

/** So many requests of a namespace are let in, however many others wait. */
const ownRequests = 4;

/**
 * Runs few queries of a namespace at a time. Requests for a query that is under way join it and take no place; those
 * whose result is cached wait for nothing. While others wait for a place, a query whose result came is not joined any
 * more: requests that follow each other without a gap would keep its place for ever.
 */
export function shareQueries(source: QuerySource, limits: ShareLimits): (query: RuleQuery) => Awaitable<Ran> {
  const namespaces = new Map<string, Namespace>();
  let requests = 0;

  const hasPlace = ({ queries, waiting }: Namespace, key: string): boolean => {
    const running = queries.get(key);
    if (running === undefined) return queries.size < limits.queriesPerNamespace;
    return !running.hasEnded || waiting.size === 0;
  };

  const startWaiting = (namespace: Namespace): void => {
    for (const waiting of namespace.waiting) if (hasPlace(namespace, waiting.key)) waiting.start();
  };

  const run = async (namespace: Namespace, key: string, query: RuleQuery): Promise<Ran> => {
    if (hasPlace(namespace, key)) takePlace(namespace, key);
    else await place(namespace, key, query.signal());
    try {
      return await source.run(query);
    } finally {
      leavePlace(namespace, key);
      startWaiting(namespace);
    }
  };

  const enter = async (name: string, query: RuleQuery): Promise<Ran> => {
    const namespace = namespaces.get(name) ?? { queries: new Map(), requests: 0, waiting: new Set() };
    namespaces.set(name, namespace);
    namespace.requests += 1;
    requests += 1;
    try {
      return await run(namespace, keyOf(query.rule), query);
    } finally {
      requests -= 1;
      namespace.requests -= 1;
      if (namespace.requests === 0) namespaces.delete(name);
    }
  };

  return (query) => {
    const cached = source.cached(query.rule);
    if (cached !== undefined) return cached;
    const { namespace } = query.rule;
    const own = namespaces.get(namespace)?.requests ?? 0;
    const isTooMany = own >= limits.requestsPerNamespace || requests >= limits.requests;
    if (own < ownRequests || !isTooMany) return enter(namespace, query);
    const message = `unable to fetch metrics: ${own} requests of the namespace ${namespace} wait for queries of MetricRules already`;
    return failed("Unavailable", message, 1);
  };
}

function keyOf({ source, query }: CompiledRule): string {
  return `${source}\n${query}`;
}

function takePlace({ queries }: Namespace, key: string): void {
  const running = queries.get(key) ?? { requests: 0, hasEnded: false };
  running.requests += 1;
  queries.set(key, running);
}

function leavePlace({ queries }: Namespace, key: string): void {
  const running = queries.get(key);
  if (running === undefined) return;
  running.requests -= 1;
  running.hasEnded = true;
  if (running.requests === 0) queries.delete(key);
}

/** Resolves when the query has its place. Rejects with the reason of the signal. */
function place(namespace: Namespace, key: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      namespace.waiting.delete(entry);
      signal.removeEventListener("abort", onAbort);
    };
    const onAbort = (): void => {
      leave();
      reject(signal.reason);
    };
    const entry: Waiting = {
      key,
      start() {
        leave();
        takePlace(namespace, key);
        resolve();
      },
    };
    if (signal.aborted) return reject(signal.reason);
    namespace.waiting.add(entry);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
