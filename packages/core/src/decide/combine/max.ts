// Combines the proposals of all metrics: the maximum wins.

import type { MetricSpec } from "../../objects/metric-spec.ts";
import type { MetricSamples } from "../../objects/samples.ts";
import type { MetricStatus } from "../../objects/status.ts";
import type { MetricTrace } from "../../objects/trace/metric.ts";
import type { CombineTrace, TraceStep } from "../../objects/trace/step.ts";
import { applyFailurePolicies, type MetricPolicies, type Policed } from "../failure/apply.ts";
import type { MetricContext } from "../metrics/context.ts";
import { evaluateMetric } from "../metrics/evaluate.ts";
import type { MetricOutcome } from "../metrics/outcome.ts";

type FailedOutcome = Extract<MetricOutcome, { ok: false }>;

/** What all metrics together propose. */
export interface Combined {
  /** The accepted count; undefined when none may be acted on. */
  readonly replicas: number | undefined;
  /** Name of the metric that decides. */
  readonly name: string;
  /** The metric that decides failed; its failure policy proposes the count. */
  readonly isFallback: boolean;
  readonly statuses: readonly MetricStatus[];
  /** Every metric that could not be read, whatever its policy. */
  readonly failures: readonly FailedOutcome[];
  /** The first failure that no policy replaces. */
  readonly blocking: FailedOutcome | undefined;
  /** By position: what became of the metric's own samples. */
  readonly outcomes: readonly MetricOutcome[];
  /** The error over all metrics, when one failed. */
  readonly error: string | undefined;
  readonly isSpecError: boolean;
  readonly trace: readonly TraceStep[];
}

/**
 * The highest proposal wins. Failed metrics forbid going below the current count, and nothing happens when
 * every metric failed. Upstream knows no failure policies: without them this is upstream's function.
 *
 * @upstream pkg/controller/podautoscaler/horizontal.go#computeReplicasForMetrics
 */
export function combineMetrics(
  specs: readonly MetricSpec[],
  samples: readonly MetricSamples[],
  context: MetricContext,
  policies?: MetricPolicies,
): Combined {
  const outcomes = specs.map((spec, i) => evaluateMetric(spec, samples[i] ?? { pods: [] }, context));
  const failures = outcomes.filter((outcome) => !outcome.ok);
  const policed =
    policies === undefined || failures.length === 0
      ? { joined: outcomes, shown: outcomes, steps: none }
      : applyFailurePolicies(specs, outcomes, policies, context);
  const { joined, shown, steps } = policed;
  const { replicas, winner } = highest(joined);
  const counted = steps === none ? outcomes : joined.filter((outcome) => outcome !== undefined);
  const blocking = steps === none ? failures : counted.filter((outcome) => !outcome.ok);
  const outcome = outcomeOf(counted.length, blocking.length, replicas < context.specReplicas);
  const isAccepted = outcome === "accepted" || outcome === "accepted-despite-errors";
  const [first] = blocking;
  const combine: CombineTrace = {
    kind: "combine",
    proposals: outcomes.map((outcome, index) => proposalOf(joined[index], outcome, index)),
    ...(winner < 0 ? {} : { winner }),
    ...(isAccepted ? { result: replicas } : {}),
    outcome,
  };
  const trace = tracedMetrics(policed, specs, context);
  trace.push(combine);
  return {
    replicas: isAccepted ? replicas : undefined,
    name: joined[winner]?.name ?? "",
    isFallback: steps[winner]?.policy === "Fallback",
    statuses: shown.map((outcome) => (outcome.ok ? outcome.status : { type: "" })),
    failures,
    blocking: first,
    outcomes,
    error:
      first &&
      `invalid metrics (${blocking.length} invalid out of ${counted.length}), first error is: ${first.error}`,
    isSpecError: first?.isSpecError === true && context.semantics.keepsSpecError,
    trace,
  };
}

const none: Policed["steps"] = [];

function highest(joined: readonly (MetricOutcome | undefined)[]): { replicas: number; winner: number } {
  let replicas = 0;
  let winner = -1;
  joined.forEach((outcome, i) => {
    // Any later proposal replaces a zero, even a negative one.
    if (outcome?.ok !== true || !(replicas === 0 || outcome.replicas > replicas)) return;
    replicas = outcome.replicas;
    winner = i;
  });
  return { replicas, winner };
}

function outcomeOf(counted: number, blocking: number, isDown: boolean): CombineTrace["outcome"] {
  if (blocking >= counted) return "failed";
  if (blocking === 0) return "accepted";
  return isDown ? "blocked" : "accepted-despite-errors";
}

function proposalOf(
  joined: MetricOutcome | undefined,
  { name }: MetricOutcome,
  index: number,
): CombineTrace["proposals"][number] {
  if (joined === undefined) return { index, name };
  return {
    index,
    name: joined.name,
    ...(joined.ok ? { replicas: joined.replicas } : { error: joined.message }),
  };
}

function tracedMetrics(
  { shown, steps }: Policed,
  specs: readonly MetricSpec[],
  context: MetricContext,
): TraceStep[] {
  const traced: TraceStep[] = [];
  shown.forEach((outcome, i) => {
    const step = steps[i];
    if (step !== undefined) traced.push(step);
    traced.push(metricTrace(outcome, specs[i], i, context));
  });
  return traced;
}

export function metricTrace(
  outcome: MetricOutcome,
  spec: MetricSpec | undefined,
  index: number,
  context: MetricContext,
): MetricTrace {
  const { down, up } = context.tolerances;
  return {
    kind: "metric",
    index,
    type: spec?.type ?? "",
    name: outcome.name,
    currentReplicas: context.specReplicas,
    tolerance: { down, up },
    ...outcome.trace,
    ...(outcome.ok
      ? { replicas: outcome.replicas }
      : { error: { reason: outcome.reason, message: outcome.message } }),
  };
}
