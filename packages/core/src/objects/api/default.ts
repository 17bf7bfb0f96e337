import type { HorizontalPodAutoscaler, HpaSpec } from "../hpa.ts";
import type { MetricSpec } from "../metric-spec.ts";
import { defaultBehavior } from "./behavior-defaults.ts";

const defaultMetrics: readonly MetricSpec[] = [
  { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
];

/**
 * An HPA with the API server's defaults: minReplicas 1, and from v2beta1 on cpu at 80 % and both sides of a
 * behavior that is there. Everything else comes back as it was; the input is not changed.
 *
 * @upstream pkg/apis/autoscaling/v2/defaults.go#SetDefaults_HorizontalPodAutoscaler
 */
export function defaultHpa<T extends HorizontalPodAutoscaler>(hpa: T): T {
  const spec: Partial<HpaSpec> = hpa?.spec ?? {};
  if (hpa?.apiVersion === "autoscaling/v1")
    return { ...hpa, spec: { ...spec, minReplicas: spec.minReplicas ?? 1 } };
  if (hpa?.apiVersion !== "autoscaling/v2beta1") return { ...hpa, spec: defaultSpec(spec) };
  const flatDefault = { type: "Resource", resource: { name: "cpu", targetAverageUtilization: 80 } };
  const metrics = spec.metrics && spec.metrics.length > 0 ? spec.metrics : [flatDefault];
  return { ...hpa, spec: { ...spec, minReplicas: spec.minReplicas ?? 1, metrics } };
}

export function defaultSpec(spec: Partial<HpaSpec>): HpaSpec {
  const { metrics, behavior } = spec;
  const hasMetrics = Array.isArray(metrics) && metrics.length > 0;
  return {
    ...(spec as HpaSpec),
    minReplicas: spec.minReplicas ?? 1,
    metrics: hasMetrics ? metrics : defaultMetrics,
    ...(behavior === undefined || behavior === null ? {} : { behavior: defaultBehavior(behavior) }),
  };
}
