// Queries that wait for a place, by the limit that blocks them.
import type { Limit } from "./counts.ts";
import type { CountedQuery, Limits } from "./limits.ts";

export interface WaitingQuery {
  readonly query: CountedQuery;
  readonly start: () => void;
  readonly refuse: (error: unknown) => void;
}

/** Queries that wait, by the limit that blocks each: the end of a query visits only those that it may unblock. */
export interface WaitingQueries {
  readonly size: number;
  inNamespace(namespace: string): number;
  /** In the order in which they came. */
  all(): Iterable<WaitingQuery>;
  add(one: WaitingQuery, limit: Limit): void;
  remove(one: WaitingQuery): void;
  /**
   * Of those that may start the one whose namespace has the fewest in flight, then the first to come.
   * @param released Keys of limits below their maximum now; undefined: any may be.
   */
  next(released: readonly string[] | undefined): WaitingQuery | undefined;
}

export function createWaitingQueries(limits: Limits): WaitingQueries {
  const queues = createQueues();
  const perNamespace = new Map<string, number>();

  const count = ({ query }: WaitingQuery, by: 1 | -1): void => {
    const { namespace = "" } = query.account;
    const sum = (perNamespace.get(namespace) ?? 0) + by;
    if (sum === 0) perNamespace.delete(namespace);
    else perNamespace.set(namespace, sum);
  };

  /** Whether it may start; it waits for what blocks it now. */
  const mayStart = (one: WaitingQuery): boolean => {
    const limit = limits.exceeded(one.query);
    if (limit === undefined) return true;
    queues.move(one, limit);
    return false;
  };

  const fairest = (queue: Iterable<WaitingQuery>): WaitingQuery | undefined => {
    let found: WaitingQuery | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const one of queue) {
      const inFlight = limits.inNamespace(one.query);
      if (inFlight >= fewest || !mayStart(one)) continue;
      found = one;
      fewest = inFlight;
      if (fewest === 0) break;
    }
    return found;
  };

  return {
    get size() {
      return queues.blockedBy.size;
    },
    inNamespace: (namespace) => perNamespace.get(namespace) ?? 0,
    all: () => queues.blockedBy.keys(),
    add(one, limit) {
      queues.move(one, limit);
      count(one, 1);
    },
    remove(one) {
      if (queues.remove(one)) count(one, -1);
    },
    next(released) {
      if (released === undefined) return fairest(queues.blockedBy.keys());
      for (const key of released) {
        const queue = queues.of(key);
        const [first] = queue;
        const limit = first && queues.blockedBy.get(first);
        const found = limit && limits.isBelow(limit) ? fairest(queue) : undefined;
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

interface Queues {
  /** In the order in which they came. */
  readonly blockedBy: ReadonlyMap<WaitingQuery, Limit>;
  of(key: string): ReadonlySet<WaitingQuery>;
  move(one: WaitingQuery, to: Limit): void;
  /** Returns whether it waited. */
  remove(one: WaitingQuery): boolean;
}

const empty: ReadonlySet<WaitingQuery> = new Set();

function createQueues(): Queues {
  const blockedBy = new Map<WaitingQuery, Limit>();
  const queues = new Map<string, Set<WaitingQuery>>();

  const leave = (one: WaitingQuery): void => {
    const { key = "" } = blockedBy.get(one) ?? {};
    const queue = queues.get(key);
    queue?.delete(one);
    if (queue?.size === 0) queues.delete(key);
  };

  return {
    blockedBy,
    of: (key) => queues.get(key) ?? empty,
    move(one, to) {
      if (blockedBy.get(one)?.key === to.key) return;
      leave(one);
      blockedBy.set(one, to);
      const queue = queues.get(to.key) ?? new Set();
      queue.add(one);
      queues.set(to.key, queue);
    },
    remove(one) {
      leave(one);
      return blockedBy.delete(one);
    },
  };
}
