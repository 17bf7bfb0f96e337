// Applies schedules to the bounds of a specification.
import type { DecideInput, ScheduledBounds } from "../spec/decision.ts";
import type { HpaSpec } from "../spec/hpa.ts";
import { boundsWith } from "./bounds.ts";
import type { ScheduleState } from "./state.ts";

/** What a state makes of the bounds of a specification. Where that has no metrics, the minimum is the count. */
export function scheduledBounds(
  spec: Pick<HpaSpec, "minReplicas" | "maxReplicas" | "metrics">,
  state: ScheduleState,
): ScheduledBounds {
  const own = { minReplicas: spec.minReplicas ?? 1, maxReplicas: spec.maxReplicas };
  const isWithoutMetrics = (spec.metrics ?? []).length === 0;
  return { own, effective: boundsWith(own, state), isWithoutMetrics, state };
}

/** The input of a decision in which schedules count. */
export function withSchedules(input: DecideInput, state: ScheduleState): DecideInput {
  const { hpa } = input;
  const schedules = scheduledBounds(hpa.spec, state);
  return { ...input, hpa: { ...hpa, spec: { ...hpa.spec, ...schedules.effective } }, schedules };
}
