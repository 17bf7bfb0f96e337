// The one object that owns how requests share queries to a source.
import {
  type Awaitable,
  type CacheMeter,
  chain,
  createComputedCache,
  createObjectIds,
} from "@plimsoll/component-base";
import type { Freshness } from "@plimsoll/metric-rules";
import { type InstantResult, labelOf, PrometheusError, type VectorSample } from "@plimsoll/prometheus";
import { byLabel, type Planned, planQuery, type QueryPlan } from "@plimsoll/rules";
import type { EngineSeams } from "../seams.ts";
import { type Batching, type BatchSize, createBatching } from "./batching.ts";
import {
  type Caller,
  createExecutor,
  type ExecutableQuery,
  type Executor,
  type ExecutorOptions,
} from "./execute.ts";
import { NotStartedError } from "./in-flight.ts";
import {
  type BatchedQuery,
  createPrepareQuery,
  type EqualityMatcher,
  type PreparedQuery,
  type PrepareQuery,
} from "./prepared-query.ts";
import { createSharedResults, type SharedResults } from "./shared-results.ts";

/** Runs queries against one source, and owns how requests share them: batching, reuse, limits, suspensions. */
export interface QueryRunner {
  readonly prepare: PrepareQuery;
  /**
   * Gives the result of the exact query, or of a batched one that other requests share: it may then hold more objects
   * than were wanted. Synchronous when the result is cached. Rejects with PrometheusError, or with the signal's reason.
   */
  run(query: PreparedQuery, part: QueryPart): Awaitable<QueryOutcome>;
  /** For queries of MetricRules, which are complete as they are: their results evict none of the rules file's. */
  readonly ofRules: SharedResults;
  /** Queries of tenants whose callers have left, and that may still run in Prometheus. */
  unanswered(): number;
}

/** The part of a prepared query's result that a request wants. */
export interface QueryPart {
  /** Identifies the part: a name or a selector. */
  readonly key: string;
  /** The wanted objects, never changed afterwards; undefined where the query is about none. */
  readonly names: readonly string[] | undefined;
  /** Of the caller; undefined where it queries the whole cluster. */
  readonly namespace: string | undefined;
  readonly caller: Caller;
}

export type QueryOutcome =
  | {
      readonly ok: true;
      readonly plan: QueryPlan;
      readonly result: InstantResult;
      readonly freshness: Freshness;
    }
  | Extract<Planned, { readonly ok: false }>;

export type QueryRunnerOptions = ExecutorOptions & EngineSeams;

export function createQueryRunner(options: QueryRunnerOptions): QueryRunner {
  const { clock, meter } = options;
  const executor = createExecutor(options);
  const results = createResults(options, executor, options.source.isByNamespace === true);
  const batching = createBatching({
    nowMs: () => clock.nowMs(),
    maxAgeMs: options.source.resultMaxAgeMs,
    meter,
  });
  const planFor = createPlans(meter);
  const runPlan = createRunPlan(results);

  const runExact: RunExact = (query, part) => {
    const planned = planFor(query, part.names);
    return planned.ok ? runPlan(planned.plan, "exact", query, part) : planned;
  };

  const runBatched = createRunBatched({ batching, runPlan, runExact });

  return {
    prepare: createPrepareQuery(meter),
    ...ofTenants(options, executor),
    run(query, part) {
      const { batched } = query;
      if (batched === undefined) return runExact(query, part);
      if (!batched.planned.ok) return batched.planned;
      const { plan } = batched.planned;
      const wanted = { key: part.key, objects: countWanted(part, batched) };
      const account = { metric: query.metric, namespace: part.namespace };
      const isThere = ({ promql }: QueryPlan): boolean => results.isShared({ promql, account });
      const isExactThere = (): boolean => {
        const exact = planFor(query, part.names);
        return exact.ok && isThere(exact.plan);
      };
      const isWorthIt = batching.shouldBatch(plan.promql, wanted);
      // One that is there costs nothing, and is never older than what was given before.
      return isThere(plan) || (isWorthIt && !isExactThere())
        ? runBatched(plan, batched, query, part)
        : runExact(query, part);
    },
  };
}

function ofTenants(
  options: QueryRunnerOptions,
  executor: Executor,
): Pick<QueryRunner, "ofRules" | "unanswered"> {
  return { ofRules: createResults(options, executor, true), unanswered: executor.unanswered };
}

type RunExact = (query: PreparedQuery, part: QueryPart) => Awaitable<QueryOutcome>;

interface BatchedParts {
  readonly batching: Batching;
  readonly runPlan: RunPlan;
  readonly runExact: RunExact;
}

/** Runs a batched query, and the exact one in its place where the batched one gives too much. */
function createRunBatched({ batching, runPlan, runExact }: BatchedParts) {
  return (
    plan: QueryPlan,
    batched: BatchedQuery,
    query: PreparedQuery,
    part: QueryPart,
  ): Awaitable<QueryOutcome> => {
    const runAlone = (): Awaitable<QueryOutcome> => {
      batching.failed(plan.promql);
      return runExact(query, part);
    };
    const select = (ran: Extract<QueryOutcome, { readonly ok: true }>): Awaitable<QueryOutcome> => {
      if (ran.result.type !== "vector") return ran;
      // What is missing may be of other objects alone.
      if (ran.result.leftOut !== undefined) return runAlone();
      batching.succeeded(plan.promql, sizeOf(ran.result.samples, batched));
      return { ...ran, result: selectSamples(ran.result, batched.matchers) };
    };
    const ran = runPlan(plan, "batched", query, part);
    if (!(ran instanceof Promise)) return select(ran);
    return ran.then(select, (error: unknown) => {
      if (!(error instanceof PrometheusError) || !isTooMuch(error)) throw error;
      return runAlone();
    });
  };
}

type RunPlan = (
  plan: QueryPlan,
  kind: ExecutableQuery["kind"],
  query: PreparedQuery,
  part: QueryPart,
) => Awaitable<Extract<QueryOutcome, { readonly ok: true }>>;

function createRunPlan(results: SharedResults): RunPlan {
  return (plan, kind, { metric }, { namespace, caller }) =>
    chain(results.get({ promql: plan.promql, account: { metric, namespace }, kind, caller }), (result) => ({
      ok: true,
      plan,
      result,
      freshness: results.freshnessOf(result, kind),
    }));
}

function createResults(
  options: QueryRunnerOptions,
  executor: Executor,
  isByNamespace: boolean,
): SharedResults {
  const { resultMaxAgeMs: maxAgeMs, resultBytes } = options.source;
  const bound = resultBytes === undefined ? {} : { maxBytes: resultBytes };
  return createSharedResults({ ...options, executor, maxAgeMs, isByNamespace, ...bound });
}

type PlanFor = (query: PreparedQuery, names: readonly string[] | undefined) => Planned;

/** Exact plans, cached by the list of names: it is the same list for as long as the objects are the same. */
function createPlans(meter: CacheMeter | undefined): PlanFor {
  const idOf = createObjectIds();
  const plans = createComputedCache<undefined, Planned>({
    name: "plans",
    meter,
    maxBytes: 16 * 1024 * 1024,
    sizeOf: (planned) => 100 + 2 * (planned.ok ? planned.plan.promql : planned.message).length,
  });
  return (query, names) =>
    plans.get(`${idOf(query)} ${idOf(names ?? noNames)}`, undefined, () =>
      planQuery({ ...query.scope, names }),
    );
}

/** Represents the objects of a query that is about none. */
const noNames: readonly string[] = [];

function countWanted({ names }: QueryPart, { matchers }: BatchedQuery): number {
  return names?.length ?? matchers.reduce((product, { values }) => product * values.length, 1);
}

/** How many parts the result of a batched query has; of several labels at most one for each sample. */
function sizeOf(samples: readonly VectorSample[], { labels }: BatchedQuery): BatchSize {
  const [label = "", ...others] = labels;
  const objects = others.length === 0 ? byLabel(samples, label).size : samples.length;
  return { objects, samples: samples.length };
}

/** Of a result for all values of some labels, the samples with the wanted ones. */
export function selectSamples(result: InstantResult, matchers: readonly EqualityMatcher[]): InstantResult {
  const [first, ...others] = matchers;
  if (first === undefined || result.type !== "vector") return result;
  const samplesOf = byLabel(result.samples, first.label);
  const samples = [...new Set(first.values)]
    .flatMap((value) => samplesOf.get(value) ?? [])
    .filter(({ labels }) =>
      others.every(({ label, values }) => values.includes(labelOf(labels, label) ?? "")),
    );
  return { ...result, samples };
}

/** What may be wrong with the batched query alone: its size, or another object's series. */
function isTooMuch(error: PrometheusError): boolean {
  if (error instanceof NotStartedError) return false;
  const { kind } = error;
  return kind === "execution" || kind === "bad_data" || kind === "too_large" || kind === "timeout";
}
