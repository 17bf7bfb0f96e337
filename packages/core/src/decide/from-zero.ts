// Scaling from and to zero.
import { removeCondition } from "./combine/conditions.ts";
import { type Draft, setFalse, setTrue } from "./draft.ts";
import type { Subject } from "./subject.ts";

/** Object and External metrics have values without pods. */
export function hasPodlessMetric(subject: Subject): boolean {
  return subject.metrics.some(({ type }) => type === "Object" || type === "External");
}

/** The HPA itself brought the target to zero, by what the stored status says; or any zero counts as its own. */
export function isScaledToZero(subject: Subject): boolean {
  const { options, semantics, stored, schedules, minReplicas } = subject;
  if (!options.scaleToZero || semantics.fromZero !== "condition") return false;
  const own = schedules?.own.minReplicas ?? minReplicas;
  if (options.adoptsFromZero === true && own === 0 && hasPodlessMetric(subject)) return true;
  return stored.conditions.find(({ type }) => type === "ScaledToZero")?.status === "True";
}

/**
 * Whether metrics are read while the target has no replicas.
 *
 * @upstream pkg/controller/podautoscaler/horizontal.go#shouldComputeMetricsForZeroReplicas
 */
export function mayLeaveZero(subject: Subject): boolean {
  if (subject.semantics.fromZero === "min-replicas") return subject.minReplicas === 0;
  const zeroed = isScaledToZero(subject);
  return (subject.minReplicas !== 0 && zeroed) || (zeroed && hasPodlessMetric(subject));
}

/** With the feature off, the condition must not linger. */
export function dropZeroCondition(draft: Draft): void {
  const { semantics, options } = draft.subject;
  if (semantics.fromZero !== "condition" || options.scaleToZero) return;
  draft.conditions = removeCondition(draft.conditions, "ScaledToZero");
}

/** After every rescale, so that it is never stale. */
export function setZeroCondition(draft: Draft, from: number, to: number): void {
  const { subject } = draft;
  if (subject.semantics.fromZero !== "condition") return;
  if (!subject.options.scaleToZero) {
    dropZeroCondition(draft);
    return;
  }
  const isToZero = from > 0 && to === 0 && subject.minReplicas === 0 && hasPodlessMetric(subject);
  if (isToZero)
    setTrue(draft, "ScaledToZero", "ScaledToZero", "the HPA controller scaled the workload to zero");
  else
    setFalse(
      draft,
      "ScaledToZero",
      "NotScaledToZero",
      "the HPA controller did not scale the workload to zero",
    );
}
