import { expect, test } from "vitest";
import type { FakeApi, FakeObject } from "../fake-api.ts";
import { deployment, hpa, pod, rig } from "../harness.ts";
import { replicasOf } from "./metric-kinds.ts";

const base = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/default/pods/*";
const usagePath = "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods";
/** An assignment would set the prototype; JSON sets a member, as an API server's response does. */
const withMember = (name: string, value: unknown) =>
  JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`) as Record<string, unknown>;

/** Everything that an object, its pods and its metrics can name, by one name. */
function put(api: FakeApi, name: string): void {
  const isObjectName = /^[a-z]+$/.test(name);
  const object = isObjectName ? name : "named";
  const labels = { ...withMember("app", object) };
  const podsMetric = {
    type: "Pods",
    pods: {
      metric: { name, selector: { matchLabels: withMember(name, name) } },
      target: { type: "AverageValue", averageValue: "10" },
    },
  };
  const usageMetric = {
    type: "ContainerResource",
    containerResource: { name, container: name, target: { type: "AverageValue", averageValue: "10" } },
  };
  api.put("deployments", deployment(object));
  const timestamp = new Date().toISOString();
  const names = [0, 1, 2].map((n) => `${object}-${n}`);
  for (const podName of names) {
    const made = pod(podName, object);
    const metadata = Object.assign(made.metadata, { labels: JSON.parse(JSON.stringify(labels)) as object });
    api.put("pods", { ...made, metadata });
  }
  api.metrics.set(`${base}/${name}`, {
    kind: "MetricValueList",
    items: names.map((podName) => ({
      describedObject: { kind: "Pod", namespace: "default", name: podName },
      timestamp,
      value: "12",
    })),
  });
  api.metrics.set(usagePath, {
    kind: "PodMetricsList",
    items: names.map((podName) => ({
      metadata: { name: podName, namespace: "default", labels },
      timestamp,
      window: "30s",
      containers: [{ name, usage: withMember(name, "15") }],
    })),
  });
  const made = hpa(object, {
    spec: { maxReplicas: 50, metrics: [podsMetric, usageMetric] },
    annotations: withMember(name, name),
  });
  api.put("horizontalpodautoscalers", JSON.parse(JSON.stringify(made)) as FakeObject);
}

test.each(["__proto__", "constructor", "prototype", "tostring", "toString", "hasOwnProperty", "valueOf"])(
  "an object, its metrics, containers, labels and annotations named %s are data like any other",
  async (name) => {
    const members = Object.getOwnPropertyNames(Object.prototype);
    const { api, autoscaler } = await rig({ before: (api) => put(api, name) });
    await autoscaler.sync();
    const object = /^[a-z]+$/.test(name) ? name : "named";
    // By usage: three pods of 15 for a target of 10. By the pods metric alone it would be 4.
    expect(replicasOf(api, object)).toBe(5);
    const { status } = api.get("horizontalpodautoscalers", "default", object);
    expect((status as { currentMetrics: readonly unknown[] }).currentMetrics).toHaveLength(2);
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(members);
    expect(autoscaler.decisions.of("default", object)).toHaveLength(1);
    api.remove("horizontalpodautoscalers", "default", object);
    await expect.poll(() => autoscaler.decisions.of("default", object)).toHaveLength(0);
  },
);
