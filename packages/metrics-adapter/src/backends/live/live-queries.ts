// Gives the queries of rules their values from pods that are scraped for them.
import { liveIntervalMs } from "@plimsoll/core/queries";
import type { LiveMetrics, LiveQuery, LiveResult } from "@plimsoll/live";
import type { CompiledRule, QuerySource, Ran } from "@plimsoll/metric-rules";
import type { createFindPods, LiveRule } from "./find-pods.ts";

/** Queries with `live` go to the pods, and all others where they went before. */
export function createLiveQueries(
  others: QuerySource,
  metrics: LiveMetrics,
  findPods: ReturnType<typeof createFindPods>,
): QuerySource {
  const queries = new WeakMap<CompiledRule, LiveQuery>();
  const queryOf = (rule: LiveRule): LiveQuery => {
    const known = queries.get(rule);
    if (known !== undefined) return known;
    const { pods, plan, port, path, scheme } = rule.live;
    const query: LiveQuery = {
      namespace: rule.namespace,
      plan,
      group: JSON.stringify([pods, port, path, scheme]),
      intervalMs: liveIntervalMs(rule.live),
      find: findPods(rule),
    };
    queries.set(rule, query);
    return query;
  };
  const ranOf = (query: LiveQuery, { isNewest, ...known }: LiveResult): Ran => {
    if (!known.ok)
      return {
        ok: false,
        failure: {
          code: "Unavailable",
          message: `unable to fetch metrics: ${known.message}`,
          retryAfterSeconds: 1,
        },
      };
    // A value that is handed out again is one that somebody asked for.
    return {
      ok: true,
      result: known.result,
      freshness: { isFresh: isNewest, reused: () => void metrics.known(query) },
    };
  };
  return {
    cached(rule) {
      if (!isLive(rule)) return others.cached(rule);
      const query = queryOf(rule);
      const known = metrics.known(query);
      return known === undefined ? undefined : ranOf(query, known);
    },
    async run(asked) {
      const { rule, signal, isCheck } = asked;
      if (!isLive(rule)) return await others.run(asked);
      const query = queryOf(rule);
      return ranOf(query, await metrics.get(query, signal(), isCheck));
    },
  };
}

function isLive(rule: CompiledRule): rule is LiveRule {
  return rule.live !== undefined;
}
