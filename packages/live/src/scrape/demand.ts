// Scrapes the pods that queries ask about, while they ask.
import { getOrAdd } from "@plimsoll/component-base";
import { createBudget } from "./budget.ts";
import { createGate } from "./gate.ts";
import { createGroup, type Group, stopping } from "./group.ts";
import { createPace } from "./pace.ts";
import type { LiveMetricsOptions, LiveQuery, LiveResult } from "./query.ts";

export interface LiveMetrics {
  /** Of the last round; undefined when there is none yet that has all that the query needs. */
  known(query: LiveQuery): LiveResult | undefined;
  /** Waits for the first rounds. @param isCheck waits for a window of any length, and scraping ends with it. @throws the reason of the signal */
  get(query: LiveQuery, signal: AbortSignal, isCheck?: boolean): Promise<LiveResult>;
  /** How many namespaces are scraped more rarely than asked. */
  slowed(): number;
  stop(): Promise<void>;
}

/** Of requests. A controller has few workers: those of kube-controller-manager, five, would all wait, and serve nobody else. */
const maxWaiting = 2;
const unfilled: LiveResult = { ok: false, message: "its window is not full yet", isNewest: () => false };

export function createLiveMetrics(options: LiveMetricsOptions): LiveMetrics {
  const pace = createPace(options.pace);
  const budget = createBudget(options.clock);
  const gate = createGate(options.clock, options.pace.perNamespace);
  const groups = new Map<string, Group>();
  let waiting = 0;
  let isStopped = false;
  const groupOf = (query: LiveQuery): Group => {
    const { namespace } = query;
    const key = `${namespace}/${query.group}`;
    return getOrAdd(groups, key, () =>
      createGroup(query, {
        ...options,
        budget,
        factor: () => pace.factor(namespace),
        enter: (isLate) => gate.enter(namespace, isLate),
        onPace: (group, perSecond) => pace.ask(group, namespace, perSecond),
        onStopped() {
          groups.delete(key);
          if (![...groups.keys()].some((other) => other.startsWith(`${namespace}/`))) gate.forget(namespace);
        },
      }),
    );
  };
  return {
    known: (query) => (isStopped ? stopping : groupOf(query).known(query)),
    async get(query, signal, isCheck = false) {
      if (isStopped) return stopping;
      const group = groupOf(query);
      if (isCheck) return await group.get(query, signal, isCheck);
      if (waiting >= maxWaiting) return group.known(query) ?? unfilled;
      waiting += 1;
      try {
        return await group.get(query, signal);
      } finally {
        waiting -= 1;
      }
    },
    slowed: pace.slowed,
    async stop() {
      isStopped = true;
      for (const group of groups.values()) group.stop();
      await options.fetcher.close();
    },
  };
}
