// Objects of which a rollback can carry over some parts, and some not.
import { perReplica } from "./targets.ts";

const metric = (name: string) => `
    - type: External
      external:
        metric: { name: queue_depth, selector: { matchLabels: { queue: ${name} } } }
        target: { type: AverageValue, averageValue: "${perReplica}" }`;

export const objects = `
apiVersion: autoscaling.plimsoll.dev/v1alpha1
kind: WorkloadAutoscaler
metadata: { name: batch, namespace: default, labels: { team: "on" } }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: batch }
  minReplicas: 1
  maxReplicas: 10
  tuning: { syncPeriodSeconds: 1, downscaleStabilizationSeconds: 4, tolerance: "0.05" }
  schedules:
    - { name: night, timeZone: UTC, start: "0 3 * * *", duration: 1m, maxReplicas: 9 }
  metrics:${metric("batch")}
      onMetricFailure: { policy: Fallback, replicas: 2 }
---
apiVersion: autoscaling.plimsoll.dev/v1alpha1
kind: WorkloadAutoscaler
metadata: { name: worker, namespace: default }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: worker }
  minReplicas: 0
  maxReplicas: 10
  tuning: { syncPeriodSeconds: 1, downscaleStabilizationSeconds: 2 }
  metrics:${metric("worker")}
---
apiVersion: autoscaling.plimsoll.dev/v1alpha1
kind: WorkloadAutoscaler
metadata: { name: api-hours, namespace: default }
spec:
  scaleTargetRef: { apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, name: api }
  minReplicas: 1
  maxReplicas: 20
  schedules:
    - { name: always, timeZone: UTC, start: "0 0 * * *", duration: 23h59m, minReplicas: 2 }
---
apiVersion: autoscaling.alibabacloud.com/v1beta1
kind: CronHorizontalPodAutoscaler
metadata: { name: shop-mornings, namespace: default }
spec:
  scaleTargetRef: { apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, name: shop }
  jobs:
    - { name: morning, schedule: "0 0 6 1 1 *", targetSize: 5 }
`;
