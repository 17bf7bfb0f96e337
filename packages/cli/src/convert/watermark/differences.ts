// What of a WatermarkPodAutoscaler a WorkloadAutoscaler does in another way.
import type { Findings } from "../findings.ts";
import type { FieldReader } from "../values.ts";
import type { WatermarkMetric } from "./read-metrics.ts";

export function noteDifferences(
  spec: FieldReader,
  metrics: readonly WatermarkMetric[],
  findings: Findings,
): void {
  const note = (field: string, message: string, remedy: string) =>
    findings.note({ path: spec.at(field), value: spec.value[field], message, remedy });
  for (const { path, watermarks } of metrics) noteDown(path, watermarks, findings);
  noteZero(spec, findings);
  if ((spec.whole("replicaScalingAbsoluteModulo", 1) ?? 1) > 1)
    note(
      "replicaScalingAbsoluteModulo",
      "is left out: replicas are not rounded to multiples",
      "nothing is to be done, unless the workload needs multiples: then keep the WatermarkPodAutoscaler",
    );
  const converge = spec.text("convergeTowardsWatermark");
  if (converge !== undefined && converge !== "")
    note(
      "convergeTowardsWatermark",
      "is left out: between the watermarks nothing is scaled",
      converge === "highwatermark"
        ? "lower behavior.scaleDown.tolerance, so that more is scaled down to the high watermark"
        : "nothing is to be done",
    );
  if ((spec.whole("minAvailableReplicaPercentage", 0) ?? 0) > 0)
    note(
      "minAvailableReplicaPercentage",
      "is left out: unready pods do not stop the scaling",
      "use algorithm: average, which does not depend on ready pods, or accept it",
    );
  if ((spec.whole("readinessDelaySeconds", 0) ?? 0) > 0)
    note(
      "readinessDelaySeconds",
      "is left out: a pod counts as ready by its condition",
      "write tuning.initialReadinessDelaySeconds and tuning.cpuInitializationPeriodSeconds for cpu of pods that start",
    );
  if (spec.value["recommender"] !== undefined && spec.value["recommender"] !== null)
    findings.problem({
      path: spec.at("recommender"),
      message: "has no counterpart: no service is asked for replicas",
      remedy: "write metrics in its place",
    });
}

function noteDown(path: string, { low, high }: WatermarkMetric["watermarks"], findings: Findings): void {
  const isOne = low === high;
  findings.note({
    path: `${path}.lowWatermark`,
    message: isOne
      ? "is the high watermark: a scale-down is rounded up here, and down by the WatermarkPodAutoscaler, so that one replica more may remain"
      : `begins a scale-down at the same value, which then aims at highWatermark and not at lowWatermark: one step may remove more replicas, down to ${percent(low / high)} of what the WatermarkPodAutoscaler keeps, within scaleDownLimitFactor`,
    remedy: isOne ? "nothing is to be done" : "try it with --mode Shadow before you apply it",
  });
}

function percent(fraction: number): string {
  return `${Math.floor(fraction * 100)} %`;
}

function noteZero(spec: FieldReader, findings: Findings): void {
  if (spec.flag("tolerateZero") === true) return;
  findings.note({
    path: spec.at("tolerateZero"),
    message:
      "is not true, so that a value of 0 keeps the replicas; here 0 is a value, and scales down to minReplicas",
    remedy: "see that the metric has no value, and not 0, where its source fails",
  });
}
