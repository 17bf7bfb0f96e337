import type { MetricSpec } from "./metric-spec.ts";
import type { ObjectMeta } from "./object-meta.ts";
import type { StoredHpaStatus } from "./status.ts";

/** autoscaling/v2 HorizontalPodAutoscaler, as the API server or a client library hands it over. */
export interface HorizontalPodAutoscaler {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: ObjectMeta | undefined;
  readonly spec: HpaSpec;
  readonly status?: StoredHpaStatus | undefined;
}

export interface HpaSpec {
  readonly scaleTargetRef: CrossVersionObjectReference;
  /** Absent means 1. */
  readonly minReplicas?: number | undefined;
  readonly maxReplicas: number;
  /** Absent or empty means one Resource metric: cpu at 80 % utilization. */
  readonly metrics?: readonly MetricSpec[] | undefined;
  readonly behavior?: HpaBehavior | undefined;
}

export interface CrossVersionObjectReference {
  readonly apiVersion?: string | undefined;
  readonly kind: string;
  readonly name: string;
}

export interface HpaBehavior {
  readonly scaleUp?: ScalingRules | undefined;
  readonly scaleDown?: ScalingRules | undefined;
}

export interface ScalingRules {
  readonly stabilizationWindowSeconds?: number | undefined;
  /** "Max", "Min" or "Disabled". */
  readonly selectPolicy?: string | undefined;
  readonly policies?: readonly ScalingPolicy[] | undefined;
  /** A quantity; overrides the controller's tolerance in this direction. */
  readonly tolerance?: string | undefined;
}

export interface ScalingPolicy {
  /** "Pods" or "Percent". */
  readonly type: string;
  readonly value: number;
  readonly periodSeconds: number;
}
