// Gives rules of the file with `live` their values: a request's query runs over what is kept of the pods' pages.
import { type Awaitable, type CacheMeter, chain, createComputedCache } from "@plimsoll/component-base";
import { liveIntervalMs } from "@plimsoll/core/queries";
import { type LiveMetrics, type LiveQuery, type LiveResult, wholeOf } from "@plimsoll/live";
import { planLive } from "@plimsoll/metric-rules";
import { planQuery, type RuleLive } from "@plimsoll/rules";
import { type Failed, failed, type Outcome, ok } from "../prometheus/providers/outcome.ts";
import type { PreparedQuery } from "../prometheus/query/prepared-query.ts";
import { type QueryOutcome, type QueryPart, selectSamples } from "../prometheus/query/runner.ts";
import type { createFindPods } from "./find-pods.ts";

/** Runs the query of a rule over its pods. */
export type RunLive = (
  live: RuleLive,
  query: PreparedQuery,
  part: QueryPart,
) => Awaitable<Outcome<QueryOutcome>>;

interface FileQueriesParts {
  readonly metrics: LiveMetrics;
  readonly findPods: ReturnType<typeof createFindPods>;
  readonly meter?: CacheMeter | undefined;
}

/** Requests choose their text, and with it what is kept of each. */
const maxQueryBytes = 8 * 1024 * 1024;
const maxQueryLength = 16_384;
/** The file chooses these, again each time that it changes; one that is forgotten waits for a full window. */
const maxWholes = 1_000;

export function createFileQueries({ metrics, findPods, meter }: FileQueriesParts): RunLive {
  const queryOf = createQueries(findPods, meter);
  return (live, query, part) => {
    // One query for all objects of a namespace: they share its evaluation.
    const { batched } = query;
    const planned = batched?.planned ?? planQuery({ ...query.scope, names: part.names });
    if (!planned.ok) return ok(planned);
    const { plan } = planned;
    const asked = queryOf(live, plan.promql, part.namespace ?? "");
    if (typeof asked === "string") return unavailable(asked);
    const read = ({ isNewest, ...found }: LiveResult): Outcome<QueryOutcome> => {
      if (!found.ok) return unavailable(found.message);
      const { missing } = found.result;
      // What other objects have may be of the pod that is missing.
      if (missing !== undefined && query.scope.objectLabel !== "pod") return unavailable(missing);
      const result = selectSamples(found.result, batched?.matchers ?? []);
      const freshness = { isFresh: isNewest, reused: () => void metrics.known(asked) };
      return ok({ ok: true, plan, result, freshness });
    };
    return chain(metrics.known(asked) ?? metrics.get(asked, part.caller.signal()), read);
  };
}

/** The same object for the same query, or why there is none. */
function createQueries(
  findPods: FileQueriesParts["findPods"],
  meter: CacheMeter | undefined,
): (live: RuleLive, promql: string, payer: string) => LiveQuery | string {
  /** The one that was needed last is at the end. */
  const wholes = new Map<string, LiveQuery>();
  const queries = createComputedCache<undefined, LiveQuery | string>({
    name: "live_queries",
    meter,
    maxBytes: maxQueryBytes,
    maxKeyLength: maxQueryLength,
    sizeOf: (query) => 4_000 + 20 * (typeof query === "string" ? query : query.plan.query).length,
  });
  /** @returns the one that is scraped already, if there is one */
  const use = (asked: LiveQuery): LiveQuery => {
    const key = `${asked.namespace} ${asked.intervalMs} ${asked.group} ${asked.plan.query}`;
    const whole = wholes.get(key) ?? asked;
    wholes.delete(key);
    wholes.set(key, whole);
    const [oldest = key] = wholes.keys();
    if (wholes.size > maxWholes) wholes.delete(oldest);
    return whole;
  };
  const compile = (live: RuleLive, promql: string, payer: string): LiveQuery | string => {
    const { namespace, port, path, scheme, tokenFile, insecureSkipVerify, podSelector: selector = {} } = live;
    const access = { tokenFile, insecureSkipVerify };
    const plan = planLive(promql, live);
    if (!("query" in plan)) return plan.message;
    const kept = wholeOf(plan);
    if (kept === undefined) return `a selector of ${promql} names no metric`;
    const pods = { type: "selector", selector } as const;
    const group = JSON.stringify(["file", selector, port, path, scheme, access]);
    const intervalMs = liveIntervalMs(live);
    const whole = use({
      namespace,
      group,
      intervalMs,
      plan: kept,
      // An ingress controller names the namespace of the Ingress.
      honorsLabels: true,
      find: findPods({ namespace, live: { port, path, scheme, pods }, access }),
    });
    return { ...whole, plan, whole, payer };
  };
  return (live, promql, payer) => {
    const found = queries.get(`${payer}\n${JSON.stringify(live)}\n${promql}`, undefined, () =>
      compile(live, promql, payer),
    );
    if (typeof found !== "string" && found.whole !== undefined) use(found.whole);
    return found;
  };
}

function unavailable(cause: string): Failed {
  return failed("Unavailable", `unable to fetch metrics: ${cause}`, { retryAfterSeconds: 1 });
}
