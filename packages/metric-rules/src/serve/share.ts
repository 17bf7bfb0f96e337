// Bounds the requests of each namespace that wait for queries.
import type { Awaitable } from "@plimsoll/component-base";
import type { RuleLimits } from "../compile/limits.ts";
import { failed, type QuerySource, type Ran, type RuleQuery } from "./outcome.ts";

type ShareLimits = Pick<RuleLimits, "requestsPerNamespace" | "requests">;

/** So many requests of a namespace are let in, however many others wait. */
const ownRequests = 4;

/**
 * Requests beyond the limits fail at once, and those whose result is cached wait for nothing. How many queries run is the
 * concern of the source: only that knows which of them Prometheus may still run.
 */
export function shareQueries(source: QuerySource, limits: ShareLimits): (query: RuleQuery) => Awaitable<Ran> {
  const perNamespace = new Map<string, number>();
  let requests = 0;

  const count = (namespace: string, by: 1 | -1): void => {
    const own = (perNamespace.get(namespace) ?? 0) + by;
    if (own === 0) perNamespace.delete(namespace);
    else perNamespace.set(namespace, own);
    requests += by;
  };

  const run = async (query: RuleQuery): Promise<Ran> => {
    const { namespace } = query.rule;
    count(namespace, 1);
    try {
      return await source.run(query);
    } finally {
      count(namespace, -1);
    }
  };

  return (query) => {
    const { rule, isCheck } = query;
    const isLive = rule.live !== undefined;
    // To read what is known of a live rule prolongs the scraping.
    const cached = isCheck === true && isLive ? undefined : source.cached(rule);
    if (cached !== undefined) return cached;
    // It waits for no query.
    if (isLive) return source.run(query);
    const { namespace } = rule;
    const own = perNamespace.get(namespace) ?? 0;
    const isTooMany = own >= limits.requestsPerNamespace || requests >= limits.requests;
    if (own < ownRequests || !isTooMany) return run(query);
    const message = `unable to fetch metrics: ${own} requests of the namespace ${namespace} wait for queries of MetricRules already`;
    return failed("Unavailable", message, 1);
  };
}
