// The autoscalers that are compared.
import type { HorizontalPodAutoscaler, HpaSpec, MetricSpec } from "@plimsoll/core";
import { target } from "./stack.ts";

/** One for the target. */
export function hpaOn(metric: MetricSpec, spec: Partial<HpaSpec> = {}): HorizontalPodAutoscaler {
  const { namespace, kind, name } = target;
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name, namespace },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind, name },
      minReplicas: 2,
      maxReplicas: 60,
      metrics: [metric],
      ...spec,
    },
  };
}

/** Requests of each pod. */
export function requests(averageValue: number): MetricSpec {
  return {
    type: "Pods",
    pods: {
      metric: { name: "http_requests_per_second" },
      target: { type: "AverageValue", averageValue: String(averageValue) },
    },
  };
}

/** Requests at the Ingress, for each pod. */
export function ingress(averageValue: number): MetricSpec {
  return {
    type: "Object",
    object: {
      metric: { name: "ingress_requests_per_second" },
      describedObject: { apiVersion: "networking.k8s.io/v1", kind: "Ingress", name: target.name },
      target: { type: "AverageValue", averageValue: String(averageValue) },
    },
  };
}

/** What is in a queue, for each pod. */
export function queue(averageValue: number): MetricSpec {
  return {
    type: "External",
    external: {
      metric: { name: "queue_depth", selector: { matchLabels: { queue: target.name } } },
      target: { type: "AverageValue", averageValue: String(averageValue) },
    },
  };
}
