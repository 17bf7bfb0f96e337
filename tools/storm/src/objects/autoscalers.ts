// Draws HorizontalPodAutoscalers and WorkloadAutoscalers.
import type { ReplicaBounds } from "@plimsoll/core";
import type { ScheduleSpec } from "@plimsoll/core/schedules";
import type { Random } from "../random/random.ts";
import type { SetupObject } from "../scenario/scenario.ts";
import { drawBehavior } from "./behaviors.ts";
import { drawAlike, drawMetrics, drawPodless } from "./metrics.ts";
import { drawSchedules } from "./schedules.ts";
import { targetRef, type Workload } from "./workloads.ts";

function drawBounds(random: Random): ReplicaBounds {
  const minReplicas = random.pick([1, 1, 2, 3]);
  return { minReplicas, maxReplicas: minReplicas + random.between(1, 8) };
}

export function drawHpa(random: Random, workload: Workload, name = workload.name): SetupObject {
  const behavior = drawBehavior(random.stream("behavior"));
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: {
      name,
      namespace: workload.namespace,
      ...(random.chance(0.85) ? { annotations: { "autoscaling.plimsoll.dev/managed": "true" } } : {}),
    },
    spec: {
      scaleTargetRef: targetRef(workload),
      ...drawBounds(random.stream("bounds")),
      metrics: drawMetrics(random.stream("metrics"), workload.name, { podless: false, policies: false }),
      ...(behavior === undefined ? {} : { behavior }),
    },
  };
}

/** One that scales a workload by metrics, by schedules, or by both; some may scale to zero. */
export function drawWla(random: Random, workload: Workload, name = workload.name): SetupObject {
  const isToZero = random.chance(0.3);
  const bounds = drawBounds(random.stream("bounds"));
  const behavior = drawBehavior(random.stream("behavior"));
  const isBySchedules = random.chance(0.2);
  const hasSchedules = isBySchedules || random.chance(0.4);
  const metrics = drawMetrics(random.stream("metrics"), workload.name, { podless: isToZero, policies: true });
  return wlaObject(workload.namespace, name, {
    scaleTargetRef: targetRef(workload),
    ...bounds,
    ...(isToZero ? { minReplicas: 0 } : {}),
    ...(isBySchedules ? {} : { metrics }),
    ...(hasSchedules ? { schedules: drawSchedules(random.stream("schedules"), bounds.maxReplicas) } : {}),
    ...(behavior === undefined ? {} : { behavior }),
    ...(random.chance(0.4) ? { tuning: drawTuning(random.stream("tuning")) } : {}),
    mode: random.pick(["Active", "Active", "Active", "Active", "Active", "Active", "Shadow", "Paused"]),
  });
}

/** One with two metrics of one type, each of which is held for long while it cannot be read. */
export function drawHeldWla(random: Random, workload: Workload): SetupObject {
  const onMetricFailure = { policy: "HoldLast", forSeconds: 1800 } as const;
  return wlaObject(workload.namespace, workload.name, {
    scaleTargetRef: targetRef(workload),
    ...drawBounds(random.stream("bounds")),
    metrics: drawAlike(random.stream("metrics"), workload.name).map((metric) => ({
      ...metric,
      onMetricFailure,
    })),
  });
}

/** One that scales to zero and back, by a metric that has a value without pods. */
export function drawIdleWla(random: Random, workload: Workload): SetupObject {
  return wlaObject(workload.namespace, workload.name, {
    scaleTargetRef: targetRef(workload),
    minReplicas: 0,
    maxReplicas: random.between(2, 8),
    metrics: [drawPodless(random.stream("metrics"), workload.name)],
    tuning: {
      syncPeriodSeconds: random.pick([10, 15, 30]),
      downscaleStabilizationSeconds: random.pick([0, 30, 60]),
    },
  });
}

/** One that moves the bounds of an HPA. */
export function drawBoundsWla(random: Random, hpa: SetupObject, name: string): SetupObject {
  const { namespace = "default" } = hpa.metadata;
  const maxReplicas = random.between(6, 15);
  const schedules: readonly ScheduleSpec[] = drawSchedules(random.stream("schedules"), maxReplicas);
  return wlaObject(namespace, name, {
    scaleTargetRef: {
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      name: hpa.metadata.name,
    },
    minReplicas: 1,
    maxReplicas,
    schedules,
  });
}

function wlaObject(namespace: string, name: string, spec: object): SetupObject {
  return {
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "WorkloadAutoscaler",
    metadata: { name, namespace },
    spec,
  };
}

function drawTuning(random: Random): object {
  return {
    syncPeriodSeconds: random.pick([10, 15, 30, 60]),
    ...(random.chance(0.3) ? { tolerance: random.pick(["0", "0.2"]) } : {}),
    ...(random.chance(0.3) ? { downscaleStabilizationSeconds: random.pick([0, 30, 120]) } : {}),
    ...(random.chance(0.3) ? { cpuInitializationPeriodSeconds: random.pick([0, 60]) } : {}),
    ...(random.chance(0.2) ? { upscaleDelaySeconds: random.pick([30, 120]) } : {}),
    ...(random.chance(0.2) ? { downscaleDelaySeconds: random.pick([30, 120]) } : {}),
  };
}
