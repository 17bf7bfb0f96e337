import type { MetricSpec } from "./metric-spec.ts";
import type { ObjectMeta } from "./object-meta.ts";
import type { CrossVersionObjectReference } from "./object-reference.ts";
import type { StoredHpaStatus } from "./status.ts";

/** autoscaling/v2 HorizontalPodAutoscaler, as the API server or a client library hands it over. */
export interface HorizontalPodAutoscaler {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: ObjectMeta | undefined;
  readonly spec: HpaSpec;
  readonly status?: StoredHpaStatus | undefined;
}

/** spec of an autoscaling/v2 HPA. */
export interface HpaSpec {
  readonly scaleTargetRef: CrossVersionObjectReference;
  /** Absent means 1. */
  readonly minReplicas?: number | undefined;
  readonly maxReplicas: number;
  /** Absent or empty means one Resource metric: cpu at 80 % utilization. */
  readonly metrics?: readonly MetricSpec[] | undefined;
  readonly behavior?: HpaBehavior | undefined;
}

/** spec.behavior: rules for each direction. */
export interface HpaBehavior {
  readonly scaleUp?: ScalingRules | undefined;
  readonly scaleDown?: ScalingRules | undefined;
}

/** The rules of one direction. */
export interface ScalingRules {
  readonly stabilizationWindowSeconds?: number | undefined;
  /** "Max", "Min" or "Disabled". */
  readonly selectPolicy?: string | undefined;
  readonly policies?: readonly ScalingPolicy[] | undefined;
  /** A quantity; overrides the controller's tolerance in this direction. */
  readonly tolerance?: string | undefined;
}

/** How much may change within a period. */
export interface ScalingPolicy {
  /** "Pods" or "Percent". */
  readonly type: string;
  readonly value: number;
  readonly periodSeconds: number;
}
