// Objects of the fake API server: HPAs, workloads, pods and a metric of theirs.
import type { FakeApi, FakeObject } from "./fake-api.ts";

export function hpa(
  name: string,
  options: { target?: string; spec?: object; annotations?: object } = {},
): FakeObject {
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: {
      name,
      namespace: "default",
      ...(options.annotations === undefined ? {} : { annotations: options.annotations }),
    },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: options.target ?? name },
      minReplicas: 1,
      maxReplicas: 10,
      metrics: [podsMetric("hits")],
      ...options.spec,
    },
  };
}

export function podsMetric(name: string, version?: string): object {
  const metric = { name, ...(version === undefined ? {} : { selector: { matchLabels: { version } } }) };
  return { type: "Pods", pods: { metric, target: { type: "AverageValue", averageValue: "10" } } };
}

export function deployment(name: string, replicas = 3): FakeObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "default" },
    spec: { replicas, selector: { matchLabels: { app: name } } },
    status: { replicas },
  };
}

export function pod(name: string, app: string): FakeObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", labels: { app } },
    spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "100m" } } }] },
    status: {
      phase: "Running",
      startTime: "2020-01-01T00:00:00Z",
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2020-01-01T00:00:10Z" }],
    },
  };
}

/** A workload with its HPA, its pods and a value of the metric "hits" for each of them. */
export function workload(
  api: FakeApi,
  name: string,
  options: { replicas?: number; value?: string } = {},
): void {
  const replicas = options.replicas ?? 3;
  api.put("deployments", deployment(name, replicas));
  const items = [];
  for (let n = 0; n < replicas; n++) {
    api.put("pods", pod(`${name}-${n}`, name));
    items.push({
      describedObject: { kind: "Pod", namespace: "default", name: `${name}-${n}` },
      timestamp: new Date().toISOString(),
      value: options.value ?? "10",
    });
  }
  api.metrics.set(hitsPath, { kind: "MetricValueList", items });
  api.put("horizontalpodautoscalers", hpa(name));
}

export const hitsPath = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/default/pods/*/hits";

/** Every request that would change something. */
export function writes(api: FakeApi): readonly string[] {
  return api.requests.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${path}`);
}
