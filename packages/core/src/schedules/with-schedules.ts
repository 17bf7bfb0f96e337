import type { DecideInput } from "../spec/decision.ts";
import { boundsWith } from "./bounds.ts";
import type { ScheduleState } from "./state.ts";

/**
 * The input of a decision in which schedules count: the bounds of the specification as the state makes them, and
 * the reasons for the trace. Where the specification has no metrics, there are none: the minimum is the count.
 */
export function withSchedules(input: DecideInput, state: ScheduleState): DecideInput {
  const { spec } = input.hpa;
  const own = { minReplicas: spec.minReplicas ?? 1, maxReplicas: spec.maxReplicas };
  const effective = boundsWith(own, state);
  const isWithoutMetrics = (spec.metrics ?? []).length === 0;
  return {
    ...input,
    hpa: { ...input.hpa, spec: { ...spec, ...effective } },
    schedules: { own, effective, isWithoutMetrics, state },
  };
}
