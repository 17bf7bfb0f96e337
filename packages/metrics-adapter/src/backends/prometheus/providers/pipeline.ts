// The steps that requests for custom and external metrics share.
import type { Awaitable, CacheMeter } from "@plimsoll/component-base";
import type { InstantResult } from "@plimsoll/prometheus";
import type { QueryPlan, RegistrySnapshot } from "@plimsoll/rules";
import type { RunLive } from "../../live/file-queries.ts";
import type { Registry } from "../catalog/registry.ts";
import type { Caller } from "../query/execute.ts";
import { allFresh } from "../query/freshness.ts";
import type { QueryOutcome } from "../query/runner.ts";
import type { Runners } from "../query/runners.ts";
import { guarded } from "./failure.ts";
import { createPrepareMetric, type MetricEntry, type MetricQuery, type MetricWords } from "./metric-query.ts";
import { type Failed, failed, type Outcome, ok, whenOk } from "./outcome.ts";
import type { ReadSelector } from "./selectors.ts";

/** A request for a metric, with its selectors read. */
export interface MetricRequest extends MetricWords {
  readonly caller: Caller;
}

/** The steps that the custom and the external metrics API do not share. */
export interface MetricApi<R extends MetricRequest, E extends MetricEntry, V> {
  find(request: R, snapshot: RegistrySnapshot): Awaitable<Outcome<E>>;
  /** The part of the metric that the request is about. */
  select(request: R, entry: E): Awaitable<Outcome<SelectedPart>>;
  read(request: R, metric: MetricResult<E>): Outcome<readonly V[]>;
  /** The metric is listed, but its rule gives no query for it. */
  unusable(request: R, entry: E, cause: string): Failed;
}

export interface SelectedPart {
  /** Identifies the part among requests for the same metric. */
  readonly key: string;
  /** Of its objects; undefined where the metric is of none. */
  readonly names: readonly string[] | undefined;
  /** Whether the request is still about the same objects. */
  readonly isUnchanged: () => boolean;
}

export interface MetricResult<E> {
  readonly entry: E;
  readonly metric: MetricQuery;
  readonly names: readonly string[];
  readonly plan: QueryPlan;
  readonly result: InstantResult;
}

export interface PipelineOptions {
  readonly registry: Registry;
  readonly runners: Runners;
  readonly readSelector: ReadSelector;
  /** Absent: no pod is scraped. */
  readonly runLive?: RunLive | undefined;
  readonly meter?: CacheMeter | undefined;
}

/** The way of a request for a metric: find it, select its objects, prepare and run its query, read the result. */
export function createPipeline<R extends MetricRequest, E extends MetricEntry, V>(
  { registry, runners, runLive, meter }: PipelineOptions,
  api: MetricApi<R, E, V>,
): (request: R) => Awaitable<Outcome<readonly V[]>> {
  const prepareMetric = createPrepareMetric(runners.prepare, meter);

  const run = (request: R, entry: E, part: SelectedPart): Awaitable<Outcome<Run>> => {
    const metric = prepareMetric(entry, request);
    if ("problem" in metric) {
      return metric.isRule
        ? api.unusable(request, entry, metric.problem)
        : failed("BadRequest", metric.problem);
    }
    const { namespace, caller } = request;
    const asked = { key: part.key, names: part.names, namespace, caller };
    const { live } = entry.rule;
    if (live !== undefined) {
      const late = runLive?.(live, metric.query, asked) ?? failed("Unavailable", "no pod is scraped");
      return whenOk(late, (ran) => ok({ metric, ran }));
    }
    const chosen = runners.of(entry.rule, namespace);
    if (!chosen.ok) return chosen;
    const ran = chosen.value.run(metric.query, asked);
    return ran instanceof Promise ? ran.then((late) => ok({ metric, ran: late })) : ok({ metric, ran });
  };

  return (request) => {
    const snapshot = registry.snapshot();
    return guarded(request.caller, () =>
      whenOk(api.find(request, snapshot), (entry) =>
        whenOk(api.select(request, entry), (part) =>
          whenOk(run(request, entry, part), ({ metric, ran }) => {
            if (!ran.ok) {
              return ran.kind === "contradiction"
                ? failed("BadRequest", ran.message)
                : api.unusable(request, entry, `${entry.rule.path}: ${ran.message}`);
            }
            const { plan, result, freshness } = ran;
            const outcome = api.read(request, { entry, metric, names: part.names ?? [], plan, result });
            if (!outcome.ok) return outcome;
            const parts = outcome.freshness === undefined ? [freshness] : [freshness, outcome.freshness];
            const isUnchanged = (): boolean => registry.snapshot() === snapshot && part.isUnchanged();
            return ok(outcome.value, allFresh(parts, isUnchanged));
          }),
        ),
      ),
    );
  };
}

interface Run {
  readonly metric: MetricQuery;
  readonly ran: QueryOutcome;
}
