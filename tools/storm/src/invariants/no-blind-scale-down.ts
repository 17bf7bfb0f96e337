// Invariant: no scale-down on missing data.
import type { MetricSamples } from "@plimsoll/core";
import type { CreateInvariant } from "../run/world.ts";
import { type Decided, isByBounds, keyOfDecided } from "./decisions.ts";

/**
 * Metrics lower a target only when its scale and its pods could be read, and each of its metrics, but for those whose failure
 * policies put something in their place: then at least one other reading must be there.
 */
export const noBlindScaleDown: CreateInvariant = () => ({
  name: "no-blind-scale-down",
  observe(observation) {
    if (observation.kind !== "decided") return undefined;
    const { scaleTo, currentReplicas } = observation.result.decision;
    if (scaleTo === undefined || scaleTo >= currentReplicas || !isByMetrics(observation)) return undefined;
    const missing = missingOf(observation);
    return missing === undefined
      ? true
      : `${observation.process} scales ${keyOfDecided(observation)} from ${String(currentReplicas)} to ${String(scaleTo)} without ${missing}`;
  },
});

/** Bounds and schedules lower a target whatever its metrics are. */
function isByMetrics(decided: Decided): boolean {
  return !isByBounds(decided) && decided.input.schedules?.isWithoutMetrics !== true;
}

function missingOf({ input }: Decided): string | undefined {
  if (!input.scale.ok) return "the scale of its target";
  if (!input.pods.ok) return "its pods";
  const { samples, failurePolicies = [] } = input;
  const isReplaced = (index: number) => (failurePolicies[index]?.policy ?? "Block") !== "Block";
  const blocking = samples.findIndex((sample, index) => isMissing(sample) && !isReplaced(index));
  if (blocking >= 0) return `metric ${String(blocking)}`;
  // What is held or assumed counts as a reading; what is left out or replaced by a count does not.
  const isReading = (sample: MetricSamples, index: number) =>
    !isMissing(sample) || ["HoldLast", "Assume"].includes(failurePolicies[index]?.policy ?? "");
  return samples.some(isReading) ? undefined : "any metric";
}

/** The call failed, or gave nothing to count with. */
function isMissing(sample: MetricSamples): boolean {
  if ("error" in sample) return true;
  if ("pods" in sample) return sample.pods.length === 0;
  return "values" in sample && sample.values.length === 0;
}
