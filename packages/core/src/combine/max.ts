import type { MetricContext } from "../metrics/context.ts";
import { evaluateMetric } from "../metrics/evaluate.ts";
import type { MetricOutcome } from "../metrics/outcome.ts";
import type { MetricSpec } from "../spec/metric-spec.ts";
import type { MetricSamples } from "../spec/samples.ts";
import type { MetricStatus } from "../spec/status.ts";
import type { MetricTrace } from "../trace/metric.ts";
import type { CombineTrace, TraceStep } from "../trace/step.ts";

/** What all metrics together ask for. */
export interface Combined {
  /** The accepted count; undefined when none may be acted on. */
  readonly replicas: number | undefined;
  /** Name of the metric that decides. */
  readonly name: string;
  readonly statuses: readonly MetricStatus[];
  readonly failures: readonly Extract<MetricOutcome, { ok: false }>[];
  /** The error over all metrics, when one failed. */
  readonly error: string | undefined;
  readonly isSpecError: boolean;
  readonly trace: readonly TraceStep[];
}

/**
 * The highest proposal wins. Failed metrics forbid going below the current count, and nothing happens when
 * every metric failed.
 *
 * @upstream pkg/controller/podautoscaler/horizontal.go#computeReplicasForMetrics
 */
export function combineMetrics(
  specs: readonly MetricSpec[],
  samples: readonly MetricSamples[],
  context: MetricContext,
): Combined {
  const outcomes = specs.map((spec, i) => evaluateMetric(spec, samples[i] ?? { pods: [] }, context));
  const failures = outcomes.filter((outcome) => !outcome.ok);
  let replicas = 0;
  let winner = -1;
  outcomes.forEach((outcome, i) => {
    // Any later proposal replaces a zero, even a negative one.
    if (!outcome.ok || !(replicas === 0 || outcome.replicas > replicas)) return;
    replicas = outcome.replicas;
    winner = i;
  });
  const isFailed = failures.length >= outcomes.length;
  const isBlocked = !isFailed && failures.length > 0 && replicas < context.specReplicas;
  const isRefused = isFailed || isBlocked;
  const first = failures[0];
  const count = `invalid metrics (${failures.length} invalid out of ${outcomes.length})`;
  const accepted = failures.length > 0 ? "accepted-despite-errors" : "accepted";
  const combine: CombineTrace = {
    kind: "combine",
    proposals: outcomes.map((outcome, index) => ({
      index,
      name: outcome.name,
      ...(outcome.ok ? { replicas: outcome.replicas } : { error: outcome.message }),
    })),
    ...(winner < 0 ? {} : { winner }),
    ...(isRefused ? {} : { result: replicas }),
    verdict: isFailed ? "failed" : isBlocked ? "blocked" : accepted,
  };
  return {
    replicas: isRefused ? undefined : replicas,
    name: outcomes[winner]?.name ?? "",
    statuses: outcomes.map((outcome) => (outcome.ok ? outcome.status : { type: "" })),
    failures,
    error: first === undefined ? undefined : `${count}, first error is: ${first.error}`,
    isSpecError: first?.isSpecError === true && context.semantics.keepsSpecError,
    trace: [...outcomes.map((outcome, i) => metricTrace(outcome, specs[i], i, context)), combine],
  };
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
