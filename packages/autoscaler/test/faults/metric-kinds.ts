import type { FakeApi } from "../fake-api.ts";
import { deployment, hpa, pod } from "../harness.ts";

/** One of the four ways to ask for a metric: how an object names it, and what its API answers. */
export interface MetricKind {
  /** Of the object, of its target, and of the metric. */
  readonly name: string;
  /** Of the condition when there is no value. */
  readonly reason: string;
  readonly metric: object;
  /** Where the response is requested. */
  readonly path: string;
  /** What a healthy API answers when each pod, or the whole, has this value; the target is 100. */
  body(value: unknown): Record<string, unknown>;
}

export const podsOfEach = 6;

const namespace = "default";
const custom = `/apis/custom.metrics.k8s.io/v1beta2/namespaces/${namespace}`;
const named = (name: string) => Array.from({ length: podsOfEach }, (_, n) => `${name}-${n}`);
const now = () => new Date().toISOString();

const resource: MetricKind = {
  name: "resource",
  reason: "FailedGetResourceMetric",
  metric: {
    type: "Resource",
    resource: { name: "cpu", target: { type: "AverageValue", averageValue: "100" } },
  },
  path: `/apis/metrics.k8s.io/v1beta1/namespaces/${namespace}/pods`,
  body: (cpu) => ({
    kind: "PodMetricsList",
    items: named("resource").map((name) => ({
      metadata: { name, namespace, labels: { app: "resource" } },
      timestamp: now(),
      window: "30s",
      containers: [{ name: "c", usage: { cpu } }],
    })),
  }),
};

const pods: MetricKind = {
  name: "pods",
  reason: "FailedGetPodsMetric",
  metric: {
    type: "Pods",
    pods: { metric: { name: "pods" }, target: { type: "AverageValue", averageValue: "100" } },
  },
  path: `${custom}/pods/*/pods`,
  body: (value) => ({
    kind: "MetricValueList",
    items: named("pods").map((name) => ({
      describedObject: { kind: "Pod", namespace, name },
      timestamp: now(),
      value,
    })),
  }),
};

const object: MetricKind = {
  name: "object",
  reason: "FailedGetObjectMetric",
  metric: {
    type: "Object",
    object: {
      metric: { name: "object" },
      describedObject: { apiVersion: "networking.k8s.io/v1", kind: "Ingress", name: "front" },
      target: { type: "Value", value: "100" },
    },
  },
  path: `${custom}/ingresses.networking.k8s.io/front/object`,
  body: (value) => ({ kind: "MetricValueList", items: [{ timestamp: now(), value }] }),
};

const external: MetricKind = {
  name: "external",
  reason: "FailedGetExternalMetric",
  metric: {
    type: "External",
    external: { metric: { name: "external" }, target: { type: "Value", value: "100" } },
  },
  path: `/apis/external.metrics.k8s.io/v1beta1/namespaces/${namespace}/external`,
  body: (value) => ({
    kind: "ExternalMetricValueList",
    items: [{ metricName: "external", timestamp: now(), value }],
  }),
};

export const metricKinds: readonly MetricKind[] = [resource, pods, object, external];

/** Asks for fewer replicas all the time, whatever becomes of the metric beside it. */
const calm = {
  type: "External",
  external: { metric: { name: "calm" }, target: { type: "AverageValue", averageValue: "100" } },
};

/** An object for each kind, whose other metric is low, and one object whose metric is fine and high. */
export function putKinds(api: FakeApi, kinds: readonly MetricKind[] = metricKinds): void {
  const behavior = { scaleDown: { stabilizationWindowSeconds: 0 } };
  for (const { name, metric } of kinds) {
    api.put("deployments", deployment(name, podsOfEach));
    for (const podName of named(name)) api.put("pods", pod(podName, name));
    api.put("horizontalpodautoscalers", hpa(name, { spec: { metrics: [metric, calm], behavior } }));
  }
  const busy = {
    type: "External",
    external: { metric: { name: "busy" }, target: { type: "AverageValue", averageValue: "100" } },
  };
  api.put("deployments", deployment("other", podsOfEach));
  api.put("horizontalpodautoscalers", hpa("other", { spec: { metrics: [busy] } }));
  setExternal(api, "calm", "1");
  setExternal(api, "busy", "900");
}

function setExternal(api: FakeApi, name: string, value: string): void {
  api.metrics.set(`/apis/external.metrics.k8s.io/v1beta1/namespaces/${namespace}/${name}`, {
    kind: "ExternalMetricValueList",
    items: [{ metricName: name, timestamp: now(), value }],
  });
}

export function replicasOf(api: FakeApi, name: string): number {
  return (api.get("deployments", namespace, name).spec as { replicas: number }).replicas;
}
