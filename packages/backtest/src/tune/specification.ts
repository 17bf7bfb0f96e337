// The specification of a point: what differs from today's is written, and nothing else.
import type { HorizontalPodAutoscaler, HpaBehavior, HpaSpec, ScalingRules } from "@plimsoll/core";
import type { ScheduleSpec } from "@plimsoll/core/schedules";
import type { Autoscaler } from "@plimsoll/simulator";
import { milliText } from "@plimsoll/simulator/parts";
import { withTarget } from "../replay/recorded-specs.ts";
import type { Candidate, ParameterName, Parameters, ParameterValue } from "./candidate.ts";
import { changesOf, changesText } from "./changes.ts";
import { downPolicies, upPolicies } from "./policies.ts";

/** Today's specification, and the floors of a point. */
export interface SpecificationOf {
  readonly autoscaler: Autoscaler;
  readonly today: Parameters;
  /** Of the metric that the load is counted in. */
  readonly metricIndex: number;
  /** Undefined where the history gives none. */
  readonly floorsOf: (point: Parameters, autoscaler: Autoscaler) => readonly ScheduleSpec[] | undefined;
}

/** Undefined where the bounds contradict each other, or a floor has no history. */
export function candidateOf(id: number, point: Parameters, of: SpecificationOf): Candidate | undefined {
  const changes = changesOf(point, of.today);
  let { spec } = of.autoscaler.hpa;
  for (const { parameter, to } of changes) spec = changed(spec, parameter, to, of.metricIndex);
  if ((spec.minReplicas ?? 1) > spec.maxReplicas) return undefined;
  const hpa: HorizontalPodAutoscaler = { ...of.autoscaler.hpa, spec };
  const own = { id, parameters: point, changes, what: changesText(changes) };
  const autoscaler = { ...of.autoscaler, hpa };
  if (!changes.some(({ parameter }) => parameter === "floor")) return { ...own, autoscaler };
  const schedules = of.floorsOf(point, autoscaler);
  if (schedules === undefined || schedules.length === 0) return undefined;
  return { ...own, autoscaler: { ...autoscaler, schedules } };
}

function changed(spec: HpaSpec, name: ParameterName, to: ParameterValue, metricIndex: number): HpaSpec {
  const rules = (direction: keyof HpaBehavior, own: ScalingRules): HpaSpec => {
    const { behavior } = spec;
    return { ...spec, behavior: { ...behavior, [direction]: { ...behavior?.[direction], ...own } } };
  };
  switch (name) {
    case "target": {
      const metrics = spec.metrics?.map((metric, at) =>
        at === metricIndex ? withTarget(metric, Number(to)) : metric,
      );
      return { ...spec, metrics };
    }
    case "minReplicas":
    case "maxReplicas":
      return { ...spec, [name]: Number(to) };
    case "scaleDownWindow":
      return rules("scaleDown", { stabilizationWindowSeconds: Number(to) });
    case "scaleUpWindow":
      return rules("scaleUp", { stabilizationWindowSeconds: Number(to) });
    case "scaleDownPolicies":
      return rules("scaleDown", { policies: downPolicies[to] });
    case "scaleUpPolicies":
      return rules("scaleUp", { policies: upPolicies[to] });
    case "toleranceDown":
      return rules("scaleDown", { tolerance: milliText(Number(to)) });
    case "toleranceUp":
      return rules("scaleUp", { tolerance: milliText(Number(to)) });
    case "floor":
      return spec;
  }
}
