// Computes what one metric proposes, as a step by itself.
import { cleanMetric } from "../../objects/api/clean.ts";
import type { MetricSpec } from "../../objects/metric-spec.ts";
import type { ControllerOptions } from "../../objects/options.ts";
import type { Pod } from "../../objects/pod.ts";
import type { MetricSamples } from "../../objects/samples.ts";
import { semanticsOf } from "../../objects/semantics.ts";
import type { MetricStatus } from "../../objects/status.ts";
import type { MetricTrace } from "../../objects/trace/metric.ts";
import { textOf } from "../../values/fields.ts";
import { int32From } from "../../values/number/go-float.ts";
import { metricTrace } from "../combine/max.ts";
import { evaluateMetric } from "../metrics/evaluate.ts";
import { podReader } from "../pods/prepare.ts";
import { tolerancesFor } from "../replicas/tolerance.ts";
import { readOptions } from "../subject.ts";

/** What `proposeReplicas` takes. */
export interface ProposeInput {
  /** Wall clock, milliseconds since 1970. */
  readonly nowMs: number;
  readonly metric: MetricSpec;
  /** scale.spec.replicas and scale.status.replicas. */
  readonly specReplicas: number;
  readonly statusReplicas: number;
  readonly pods: readonly Pod[];
  readonly samples: MetricSamples;
  /** Quantities; each one absent falls back to `options.tolerance`. */
  readonly tolerance?:
    | { readonly scaleUp?: string | undefined; readonly scaleDown?: string | undefined }
    | undefined;
  /** Appears in error messages only. */
  readonly namespace?: string | undefined;
  readonly options?: Partial<ControllerOptions> | undefined;
}

/** What one metric proposes, or why it cannot. */
export type Proposal =
  | {
      readonly ok: true;
      /** As it comes out of the formula: it may be negative, or 2 147 483 647. */
      readonly replicas: number;
      readonly name: string;
      readonly status: MetricStatus;
      readonly trace: MetricTrace;
    }
  | { readonly ok: false; readonly reason: string; readonly message: string; readonly trace: MetricTrace };

/**
 * What one metric proposes, before other metrics, windows and limits apply.
 *
 * @upstream pkg/controller/podautoscaler/horizontal.go#computeReplicasForMetric
 */
export function proposeReplicas(input: ProposeInput): Proposal {
  const options = readOptions(input.options);
  const semantics = semanticsOf(options.semantics);
  const { scaleUp, scaleDown } = input.tolerance ?? {};
  const behavior = { scaleUp: { tolerance: scaleUp }, scaleDown: { tolerance: scaleDown } };
  const context = {
    nowMs: input.nowMs,
    namespace: textOf(input.namespace),
    specReplicas: int32From(input.specReplicas, 0),
    statusReplicas: int32From(input.statusReplicas, 0),
    pods: podReader(input.pods),
    tolerances: tolerancesFor(behavior, options.tolerance, semantics),
    options,
    semantics,
  } as const;
  const metric = cleanMetric(input.metric);
  const outcome = evaluateMetric(metric, input.samples, context);
  const trace = metricTrace(outcome, metric, 0, context);
  if (!outcome.ok) return { ok: false, reason: outcome.reason, message: outcome.message, trace };
  const { replicas, name, status } = outcome;
  return { ok: true, replicas, name, status, trace };
}
