// The objects of a fleet: autoscalers, their targets, and metrics of each type.
import type { KubeObject } from "@plimsoll/kube";

export type Spec = Readonly<Record<string, unknown>>;

export const namespace = "default";
export const cpuRequestCores = 0.5;
const MAX_REPLICAS = 6;

export function hpa(name: string, spec: Spec, kind = "Deployment"): KubeObject & { spec: unknown } {
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name, namespace },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind, name },
      minReplicas: 1,
      maxReplicas: MAX_REPLICAS,
      ...spec,
    },
  };
}

export function workload(kind: "Deployment" | "StatefulSet", name: string): KubeObject & { spec: unknown } {
  return {
    apiVersion: "apps/v1",
    kind,
    metadata: { name, namespace },
    spec: {
      replicas: 1,
      ...(kind === "StatefulSet" ? { serviceName: name, podManagementPolicy: "Parallel" } : {}),
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          containers: [
            {
              name: "main",
              image: "registry.example/main:1",
              resources: { requests: { cpu: `${cpuRequestCores}`, memory: "128Mi" } },
            },
          ],
        },
      },
    },
  };
}

export function ingress(name: string): KubeObject & { spec: unknown } {
  const backend = { service: { name, port: { number: 80 } } };
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { name, namespace },
    spec: { defaultBackend: backend },
  };
}

export function podsMetric(averageValue: string, name = "packets-per-second") {
  return { type: "Pods", pods: { metric: { name }, target: { type: "AverageValue", averageValue } } };
}

export function objectMetric(ingressName: string, target: object) {
  return {
    type: "Object",
    object: {
      describedObject: { apiVersion: "networking.k8s.io/v1", kind: "Ingress", name: ingressName },
      metric: { name: "requests-per-second" },
      target,
    },
  };
}

export function externalMetric(queueName: string, target: object) {
  return {
    type: "External",
    external: {
      metric: { name: "queue_depth", selector: { matchLabels: { queue: queueName } } },
      target,
    },
  };
}

export function cpu(target: object) {
  return { type: "Resource", resource: { name: "cpu", target } };
}
