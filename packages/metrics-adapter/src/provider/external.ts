import type { InstantResult } from "@plimsoll/prometheus";
import type { EngineTelemetry } from "../engine-telemetry.ts";
import { createMemo } from "../memo.ts";
import type { Asked, AskFor } from "../query/ask.ts";
import { failureOf } from "../query/failure.ts";
import { isNamespaceName } from "../query/object-names.ts";
import type { QueryPlan } from "../query/plan.ts";
import type { MakeQuestion, Question } from "../query/question.ts";
import { matchersOf } from "../query/selector-matchers.ts";
import { quantityOf } from "../query/value.ts";
import type { Registry } from "../registry/registry.ts";
import type { ExternalEntry } from "../registry/snapshot.ts";
import { allAgain } from "./again.ts";
import { describeLabels } from "./match.ts";
import { failed, ok, readSelector } from "./outcome.ts";
import { partialFailure, partialWarning } from "./partial.ts";
import type {
  ExternalMetricQuery,
  ExternalMetricsProvider,
  ExternalMetricValue,
  Outcome,
} from "./provider.ts";

export interface ExternalProviderOptions {
  readonly registry: Registry;
  readonly makeQuestion: MakeQuestion;
  readonly askFor: AskFor;
  readonly telemetry: EngineTelemetry;
}

/** Metrics of nothing in the cluster: external.metrics.k8s.io. */
export function createExternalProvider(options: ExternalProviderOptions): ExternalMetricsProvider {
  const { registry } = options;
  /** What the words of a request mean. */
  const known = createMemo<ExternalEntry, Outcome<Planned>>({ most: 10_000 });
  const planFor = (entry: ExternalEntry, query: ExternalMetricQuery): Outcome<Planned> =>
    known.get(`${query.metric}\n${query.namespace}\n${query.labelSelector}`, entry, () =>
      plan(options.makeQuestion, entry, query),
    );

  return {
    list: () => registry.snapshot().externalNames,
    async get(query) {
      try {
        const selector = readSelector(query.labelSelector);
        if (!selector.ok) return selector;
        const snapshot = registry.snapshot();
        const entry = findEntry(registry, query);
        if (!entry.ok) return entry;
        const planned = planFor(entry.value, query);
        if (!planned.ok) return planned;
        const part = { key: planned.value.part, names: undefined, signal: query.signal };
        const asked = await options.askFor(planned.value.question, part);
        if (!asked.ok) return unplanned(asked, entry.value);
        const outcome = values(options, { ...asked, metric: entry.value.metric });
        if (!outcome.ok) return outcome;
        return ok(
          outcome.value,
          allAgain([asked.again], () => registry.snapshot() === snapshot),
        );
      } catch (error) {
        const failure = failureOf(error, query.signal);
        if (failure === undefined) throw error;
        return { ok: false, failure };
      }
    },
  };
}

interface Planned {
  readonly question: Question;
  readonly part: string;
}

function plan(
  makeQuestion: MakeQuestion,
  entry: ExternalEntry,
  query: ExternalMetricQuery,
): Outcome<Planned> {
  const { rule, series, namespaceLabel } = entry;
  const selector = readSelector(query.labelSelector);
  if (!selector.ok) return selector;
  const matchers = matchersOf(selector.value);
  if (!matchers.ok) return failed("BadRequest", matchers.message);
  if (rule.metricsQuery === undefined) return unusable(entry, "has no query");
  if (rule.namespaced && namespaceLabel === undefined)
    return unusable(entry, "names no label for namespaces");
  if (rule.namespaced && !isNamespaceName(query.namespace)) {
    return failed("BadRequest", `${JSON.stringify(query.namespace)} is not the name of a namespace`);
  }
  const question = makeQuestion({
    template: rule.metricsQuery,
    series,
    selector: matchers.matchers,
    namespace: namespaceLabel === undefined ? undefined : { label: namespaceLabel, name: query.namespace },
    objectLabel: undefined,
    groupBy: [],
  });
  return ok({ question, part: selector.value.toString() });
}

function unplanned(problem: Extract<Asked, { ok: false }>, entry: ExternalEntry): ReturnType<typeof failed> {
  return problem.kind === "contradiction"
    ? failed("BadRequest", problem.message)
    : unusable(entry, problem.message);
}

function unusable({ rule }: ExternalEntry, cause: string): ReturnType<typeof failed> {
  return failed("Internal", `unable to fetch metrics: ${rule.path} ${cause}`);
}

function findEntry(registry: Registry, query: ExternalMetricQuery): Outcome<ExternalEntry> {
  const entry = registry.snapshot().external(query.metric);
  if (entry !== undefined) return ok(entry);
  const state = registry.state();
  if (!state.isComplete) {
    const cause = state.problem ?? "the metrics have not been listed yet";
    return failed("Unavailable", cause, { retryAfterSeconds: 1 });
  }
  return failed("MetricNotFound", `the server could not find the metric ${query.metric} for `);
}

interface Answered {
  readonly metric: string;
  readonly plan: QueryPlan;
  readonly result: InstantResult;
}

function values(
  options: ExternalProviderOptions,
  answered: Answered,
): Outcome<readonly ExternalMetricValue[]> {
  const { metric, plan, result } = answered;
  const warning = partialWarning(result);
  if (warning !== undefined) return partialFailure(warning);
  const { windowSeconds } = plan;
  if (result.type === "scalar") {
    const value = quantityOf(result.value);
    if (value === undefined) return notANumber(options, metric, `its value is ${String(result.value)}`);
    return ok([{ metric, labels: undefined, value, atMs: result.atMs, windowSeconds }]);
  }
  if (result.type !== "vector") {
    return failed(
      "Internal",
      `unable to fetch metrics: the query gives a ${result.type}, not current values`,
    );
  }
  const found: ExternalMetricValue[] = [];
  for (const { labels, value: number, atMs } of result.samples) {
    const value = quantityOf(number);
    // Callers add the values up: leaving one out would make the sum too small, and scale down.
    if (value === undefined)
      return notANumber(options, metric, `${describeLabels(labels)} is ${String(number)}`);
    found.push({ metric, labels, value, atMs, windowSeconds });
  }
  return ok(found);
}

function notANumber(
  options: ExternalProviderOptions,
  metric: string,
  cause: string,
): ReturnType<typeof failed> {
  options.telemetry.samplesDropped("not_a_number", 1);
  return failed("ObjectNotFound", `the metric ${metric} has no usable value: ${cause}`, { name: metric });
}
