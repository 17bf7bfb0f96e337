// Scrapes the pods that queries ask about, while they ask.
import { getOrAdd } from "@plimsoll/component-base";
import { createBudget } from "./budget.ts";
import { createGate } from "./gate.ts";
import { createGroup, type Group } from "./group.ts";
import { createPace } from "./pace.ts";
import type { LiveMetricsOptions, LiveQuery, LiveResult } from "./query.ts";

export interface LiveMetrics {
  /** Of the last round; undefined when there is none yet that has all that the query needs. */
  known(query: LiveQuery): LiveResult | undefined;
  /** Waits for the first rounds. @param isCheck waits for a window of any length, and scraping ends with it. @throws the reason of the signal */
  get(query: LiveQuery, signal: AbortSignal, isCheck?: boolean): Promise<LiveResult>;
  stop(): Promise<void>;
}

const stopping: LiveResult = { ok: false, message: "the adapter is stopping", isNewest: () => false };

export function createLiveMetrics(options: LiveMetricsOptions): LiveMetrics {
  const { fetcher } = options;
  const pace = createPace(options.pace);
  const budget = createBudget(options.clock);
  const gate = createGate(options.clock, options.pace.perNamespace);
  const groups = new Map<string, Group>();
  const requests = { waiting: 0 };
  let isStopped = false;
  const groupOf = (query: LiveQuery): Group => {
    const { namespace } = query;
    const key = `${namespace}/${query.group}`;
    return getOrAdd(groups, key, () =>
      createGroup(query, {
        ...options,
        budget,
        requests,
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
    get: async (query, signal, isCheck) =>
      isStopped ? stopping : await groupOf(query).get(query, signal, isCheck),
    async stop() {
      isStopped = true;
      for (const group of groups.values()) group.stop();
      await fetcher.close();
    },
  };
}
