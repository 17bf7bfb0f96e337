// Computes replicas from metrics that have one value.

import { jsonFloat } from "../../objects/trace/json-float.ts";
import type { PodTrace, ProposalRule } from "../../objects/trace/metric.ts";
import { ceilToInt32, int64OfFloat } from "../../values/number/go-float.ts";
import { type Int64, maxInt64, toFloat } from "../../values/number/int64.ts";
import { milliText } from "../../values/quantity/format.ts";
import type { MetricContext } from "../metrics/context.ts";
import { readinessReason } from "../pods/classify.ts";
import { listedPods } from "./per-pod.ts";
import type { PerPodTrace } from "./per-pod-trace.ts";
import { isWithin } from "./tolerance.ts";

export type TotalProposal =
  | { readonly ok: true; readonly replicas: number; readonly usage: Int64; readonly trace: PerPodTrace }
  | { readonly ok: false; readonly message: string; readonly trace: PerPodTrace };

/**
 * Replicas from one number for the whole workload compared with a target value: ratio times ready pods.
 *
 * @upstream pkg/controller/podautoscaler/replica_calculator.go#getUsageRatioReplicaCount
 */
export function valueProposal(usage: Int64, target: Int64, context: MetricContext): TotalProposal {
  const { semantics, specReplicas } = context;
  const ratio = toFloat(usage) / toFloat(target);
  const withinTolerance = isWithin(context.tolerances, ratio, semantics);
  const text = milliText(usage);
  const first = { total: text, usage: text, ratio: jsonFloat(ratio), withinTolerance };
  const done = (replicas: number, rule: ProposalRule, trace: PerPodTrace): TotalProposal => ({
    ok: true,
    replicas,
    usage,
    trace: { ...trace, rule },
  });
  if (specReplicas === 0)
    return done(ceilToInt32(ratio, semantics.saturates === "all"), "from-zero", { first });
  if (withinTolerance) return done(specReplicas, "within-tolerance", { first });
  const listed = listedPods(context);
  if (!listed.ok)
    return { ok: false, message: `unable to calculate ready pods: ${listed.message}`, trace: { first } };
  const pods = listed.pods.map((pod): PodTrace => {
    const why = readinessReason(pod);
    return { name: pod.name, group: why === "running-and-ready" ? "ready" : "unready", why };
  });
  const ready = pods.filter((pod) => pod.group === "ready").length;
  const counts = { ready, unready: pods.length - ready, missing: 0, ignored: 0, extra: 0 };
  const replicas = ceilToInt32(ratio * ready, semantics.saturates !== "none");
  return done(replicas, "ratio-times-ready", { pods, counts, first: { ...first, pods: ready } });
}

/**
 * Replicas from one number for the whole workload compared with a target per pod.
 *
 * @upstream pkg/controller/podautoscaler/replica_calculator.go#GetExternalPerPodMetricReplicas
 * @upstream pkg/controller/podautoscaler/replica_calculator.go#GetObjectPerPodMetricReplicas
 */
export function averageProposal(
  usage: Int64,
  target: Int64,
  source: "object" | "external",
  context: MetricContext,
): Extract<TotalProposal, { ok: true }> {
  const { statusReplicas, semantics } = context;
  const ratio = toFloat(usage) / (toFloat(target) * statusReplicas);
  const withinTolerance = isWithinAverage(context, ratio);
  const saturates =
    semantics.saturates === "all" || (source === "external" && semantics.saturates === "single-values");
  const proposed = ceilToInt32(toFloat(usage) / toFloat(target), saturates);
  const average = averageOf(usage, context, saturates);
  const first = {
    total: milliText(usage),
    pods: statusReplicas,
    usage: milliText(average),
    ratio: jsonFloat(ratio),
    withinTolerance,
  };
  return {
    ok: true,
    replicas: withinTolerance ? statusReplicas : proposed,
    usage: average,
    trace: { first, rule: withinTolerance ? "within-tolerance" : "total-over-target" },
  };
}

/** @upstream pkg/controller/podautoscaler/replica_calculator.go#getPerPodUsage */
function averageOf(usage: Int64, { statusReplicas, semantics }: MetricContext, saturates: boolean): Int64 {
  if (saturates && toFloat(usage) >= 9_223_372_036_854_775_808) return maxInt64;
  if (statusReplicas === 0 && semantics.zeroReplicasAverage === "zero") return 0;
  return int64OfFloat(Math.ceil(toFloat(usage) / statusReplicas));
}

/** The older test was whether the ratio is outside, and no ratio at all (0/0) is not. */
function isWithinAverage({ tolerances, semantics }: MetricContext, ratio: number): boolean {
  if (semantics.toleranceTest === "absolute" && Number.isNaN(ratio)) return true;
  return isWithin(tolerances, ratio, semantics);
}
