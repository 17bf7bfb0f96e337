// Serves the queries that WorkloadAutoscalers bring along: each under a name of its own, with a reason where it has no value.
import { type Awaitable, chain } from "@plimsoll/component-base";
import { queryOwner } from "@plimsoll/core/queries";
import type { CompiledRule, Decided, RulesPresence, WatchedQueries } from "@plimsoll/metric-rules";
import { failed, type Outcome, ok, type ProviderFailure } from "../prometheus/providers/outcome.ts";
import { allFresh } from "../prometheus/query/freshness.ts";

/** A request for the values of a query. */
export interface QueryRequest {
  readonly namespace: string;
  readonly metric: string;
  readonly signal: () => AbortSignal;
}

/** Values, the first of them with the PromQL that gave them. */
interface Value {
  readonly query?: string | undefined;
}

export interface ServeQuery {
  /**
   * @param isOf whether the API that was asked serves a query of this form
   * @param serve as the metric of a MetricRule is served
   */
  <Q extends QueryRequest, V extends Value>(
    query: Q,
    isOf: (rule: CompiledRule) => boolean,
    serve: (query: Q, rule: CompiledRule) => Awaitable<Outcome<readonly V[]>>,
  ): Awaitable<Outcome<readonly V[]>>;
}

export function createServeQuery(queries: WatchedQueries): ServeQuery {
  const { catalog } = queries;
  return (query, isOf, serve) => {
    const { namespace, metric } = query;
    const known = catalog.decided(namespace, metric);
    const decided = known ?? decidedSoon(queries, query);
    return chain(decided, (found) => {
      if (found?.type !== "accepted") return unserved(query, found, queries.state());
      const { rule } = found;
      if (!isOf(rule)) return unserved(query, undefined, "present");
      return chain(serve(query, rule), (outcome) => {
        if (!outcome.ok) return { ok: false, failure: withCause(outcome.failure) };
        const [first, ...rest] = outcome.value;
        if (first === undefined) return failed("ObjectNotFound", noValue(rule), { cause: "NoSeries" });
        const { freshness } = outcome;
        const isServed = () => catalog.decided(namespace, metric) === found;
        const values = [{ ...first, query: rule.query }, ...rest];
        return freshness === undefined ? ok(values) : ok(values, allFresh([freshness], isServed));
      });
    });
  };
}

/** The object may have been written a moment ago, or this process may have started then. */
function decidedSoon(
  queries: WatchedQueries,
  { namespace, metric, signal }: QueryRequest,
): Awaitable<Decided | undefined> {
  const isComing = ["present", "starting"].includes(queries.state());
  return isComing ? queries.soon(namespace, metric, signal()) : undefined;
}

function unserved(
  { namespace, metric }: QueryRequest,
  decided: Decided | undefined,
  state: RulesPresence,
): Outcome<never> {
  if (decided?.type === "refused") {
    const { reason, message } = decided.refusal;
    return failed("BadRequest", message, { cause: reason });
  }
  const again = { retryAfterSeconds: 1, cause: "NotRead" };
  if (state === "starting")
    return failed("Unavailable", "WorkloadAutoscalers haven't been listed yet", again);
  if (state === "failing")
    return failed(
      "Unavailable",
      "the adapter cannot list WorkloadAutoscalers: grant it list and watch on them",
      again,
    );
  const owner = `${namespace}/${queryOwner(metric) ?? ""}`;
  const message = `the WorkloadAutoscaler ${owner} no longer has this query, or its last change hasn't been read yet`;
  return failed("ObjectNotFound", message, { cause: "NotRead" });
}

function noValue({ object, live }: CompiledRule): string {
  return object === undefined
    ? `the query returned no series${live === undefined ? "" : `: compare it with ${live.path} of a pod`}`
    : `the query returned no series with a pod's name in its label ${JSON.stringify(object.label)}: keep this label in the query's "by", or correct query.podLabel`;
}

function withCause(failure: ProviderFailure): ProviderFailure {
  const cause = failure.code === "ObjectNotFound" ? "NoValue" : "QueryFailed";
  return { cause, ...failure };
}
