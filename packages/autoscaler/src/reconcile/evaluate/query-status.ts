// What a WorkloadAutoscaler shows of its queries: whether the adapter serves them, and whether they give values.
import { withConditionCode } from "@plimsoll/component-base/catalog";
import { formatInstant, type HpaCondition, type MetricSamples, type MetricSpec } from "@plimsoll/core";
import { maxQueries, queryLabel } from "@plimsoll/core/queries";
import { notRequested } from "@plimsoll/observe";

/** One of status.queries. */
export interface QueryStatus {
  readonly name: string;
  /** What the metrics API is asked for. */
  readonly metric: string;
  /** The PromQL that was sent. */
  readonly query?: string;
  readonly conditions: readonly HpaCondition[];
}

export interface ObservedQueries {
  readonly metrics: readonly MetricSpec[];
  /** By position in `metrics`. */
  readonly samples: readonly MetricSamples[];
  /** status.queries as the server has it. */
  readonly former: readonly QueryStatus[];
  readonly generation: number | undefined;
  readonly nowMs: number;
}

/** Pure. The adapter's reasons come with its errors, so that the object's status has one writer. */
export function queryStatuses({ metrics, samples, ...at }: ObservedQueries): readonly QueryStatus[] {
  const statuses = metrics.flatMap(({ query }, index) => {
    // A definition that drops the PromQL drops status.queries too, and it would be written at each evaluation.
    if (query === undefined || query.promql === "") return [];
    const { metric } = query;
    // A position may be another query's since.
    const former = at.former.find((one) => one.metric === metric);
    return [statusOf({ ...at, name: queryLabel(index), metric, former }, samples[index] ?? notRequested)];
  });
  // More than the definition takes would be refused with the whole status.
  return statuses.slice(0, maxQueries);
}

interface Place extends Pick<ObservedQueries, "generation" | "nowMs"> {
  readonly name: string;
  readonly metric: string;
  readonly former: QueryStatus | undefined;
}

type Said = Pick<HpaCondition, "status" | "reason" | "message">;

const accepted: Said = { status: "True", reason: "Accepted", message: "the adapter serves the query" };
const resolved: Said = { status: "True", reason: "Resolved", message: "the query returned values" };
const notAccepted: Said = {
  status: "False",
  reason: "NotAccepted",
  message: "the adapter rejected the query",
};
const notChecked: Said = { status: "Unknown", reason: "NotChecked", message: "the query hasn't run yet" };

/** Why the adapter does not serve a query. */
const refusals: ReadonlySet<string> = new Set([
  "InvalidSpec",
  "NamespaceMatcher",
  "Unparsable",
  "Unsupported",
  "TooCostly",
  "LimitExceeded",
  "UnknownSource",
  "SourceNotForNamespace",
  "NotServed",
]);
/** Why one that it serves has no value. */
const failures: ReadonlySet<string> = new Set(["NoSeries", "NoObjectLabel", "NoValue", "QueryFailed"]);
const maxMessage = 1_000;

function statusOf(place: Place, samples: MetricSamples): QueryStatus {
  const { former } = place;
  if (!("error" in samples)) {
    const sent = "query" in samples ? samples.query : undefined;
    return made(place, sent, { accepted, resolved });
  }
  if (samples === notRequested)
    return former === undefined
      ? made(place, undefined, { accepted: notChecked, resolved: notChecked })
      : { ...former, name: place.name };
  const { error: message, reason = "" } = samples;
  if (refusals.has(reason))
    return made(place, undefined, { accepted: { status: "False", reason, message }, resolved: notAccepted });
  if (failures.has(reason))
    return made(place, former?.query, { accepted, resolved: { status: "False", reason, message } });
  const known = former?.conditions.find(({ type }) => type === "Accepted");
  return made(place, former?.query, {
    accepted: known ?? notChecked,
    resolved: { status: "False", reason: reason === "" ? "QueryFailed" : reason, message },
  });
}

function made(
  place: Place,
  query: string | undefined,
  said: { readonly accepted: Said; readonly resolved: Said },
): QueryStatus {
  return {
    name: place.name,
    metric: place.metric,
    ...(query === undefined ? {} : { query }),
    conditions: [condition(place, "Accepted", said.accepted), condition(place, "Resolved", said.resolved)],
  };
}

function condition({ former, generation, nowMs }: Place, type: string, said: Said): HpaCondition {
  const { status, reason, message } = said;
  const known = former?.conditions.find((one) => one.type === type);
  const since = known?.status === status ? known.lastTransitionTime : undefined;
  return {
    type,
    status,
    lastTransitionTime: since ?? formatInstant(nowMs),
    reason,
    message: known?.message === message ? message : withConditionCode(reason, message.slice(0, maxMessage)),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}

/** Whether two lists say the same. */
export function sameQueries(one: readonly QueryStatus[], other: readonly QueryStatus[]): boolean {
  return JSON.stringify(one.map(contentOf)) === JSON.stringify(other.map(contentOf));
}

/** The definition requires the name alone. */
export function isQueryStatus(stored: unknown): stored is QueryStatus {
  const { conditions } = (stored ?? {}) as Partial<QueryStatus>;
  return Array.isArray(conditions);
}

function contentOf({ name, metric, query, conditions }: QueryStatus): unknown {
  const parts = conditions.map(({ type, status, reason, message }) => [type, status, reason, message]);
  return [name, metric, query ?? "", parts];
}
