// The specification as it is today, in the parameters that a search varies.
import type { HpaSpec, ScalingRules } from "@plimsoll/core";
import { approximateFloat, parseQuantity } from "@plimsoll/core/quantity";
import type { Autoscaler } from "@plimsoll/simulator";
import { metricsOf } from "@plimsoll/simulator/parts";
import { createRecordedSpecs } from "../replay/recorded-specs.ts";
import type { Recording } from "../replay/recording.ts";
import type { Parameters } from "./candidate.ts";
import { downPolicies, policyName, upPolicies } from "./policies.ts";

const usualDownWindow = 300;
const usualTolerance = 0.1;

/** With the changes that the recording has of it, and with the metrics that the API adds. */
export function autoscalerOfToday(recording: Recording, autoscaler: Autoscaler): Autoscaler {
  const { hpa } = autoscaler;
  const changes = recording.autoscaler.changes.filter(({ field }) => field !== "generation");
  // Bounds of schedules are laid over by each run itself.
  const { spec } = createRecordedSpecs({ hpa }, changes).read(changes.length, recording.span.toMs);
  const metrics = metricsOf({ ...autoscaler, hpa: { ...hpa, spec } });
  return { ...autoscaler, hpa: { ...hpa, spec: { ...spec, metrics } } };
}

/** Those that can be varied at all; `metricIndex` is that of the load. */
export function parametersOfToday(autoscaler: Autoscaler, metricIndex: number): Parameters {
  const { spec } = autoscaler.hpa;
  const { scaleUp, scaleDown } = spec.behavior ?? {};
  const target = targetOf(spec, metricIndex);
  const controllers = autoscaler.options?.downscaleStabilizationMs;
  const downWindow = controllers === undefined ? usualDownWindow : controllers / 1000;
  return {
    ...(target === undefined ? {} : { target }),
    minReplicas: spec.minReplicas ?? 1,
    maxReplicas: spec.maxReplicas,
    scaleDownWindow: scaleDown?.stabilizationWindowSeconds ?? downWindow,
    scaleUpWindow: scaleUp?.stabilizationWindowSeconds ?? 0,
    scaleDownPolicies: policyName(downPolicies, scaleDown?.policies),
    scaleUpPolicies: policyName(upPolicies, scaleUp?.policies),
    toleranceDown: toleranceOf(scaleDown, autoscaler),
    toleranceUp: toleranceOf(scaleUp, autoscaler),
    ...(autoscaler.schedules === undefined ? { floor: "none" } : {}),
  };
}

function toleranceOf(rules: ScalingRules | undefined, { options }: Autoscaler): number {
  const own = rules?.tolerance;
  return own === undefined ? (options?.tolerance ?? usualTolerance) : approximateFloat(parseQuantity(own));
}

const sources = ["resource", "containerResource", "pods", "object", "external"] as const;

function targetOf({ metrics = [] }: HpaSpec, index: number): number | undefined {
  const metric = metrics[index];
  if (metric === undefined) return undefined;
  for (const key of sources) {
    const target = metric[key]?.target;
    if (target === undefined) continue;
    if (target.type === "Utilization") return target.averageUtilization;
    const text = target.type === "Value" ? target.value : target.averageValue;
    return text === undefined ? undefined : approximateFloat(parseQuantity(text));
  }
  return undefined;
}

/** Whether the target is a percentage. */
export function isUtilization({ metrics = [] }: HpaSpec, index: number): boolean {
  const metric = metrics[index];
  return sources.some((key) => metric?.[key]?.target.type === "Utilization");
}
