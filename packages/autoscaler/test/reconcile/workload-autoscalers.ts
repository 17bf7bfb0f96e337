// WorkloadAutoscalers with their targets.
import { type Clock, systemClock } from "@plimsoll/component-base";
import { type FakeApi, type FakeObject } from "../fake-api.ts";
import { deployment, hitsPath, pod, podsMetric, rig } from "../harness.ts";

export function wla(name: string, spec: object = {}): FakeObject {
  return {
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "WorkloadAutoscaler",
    metadata: { name, namespace: "default" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
      minReplicas: 1,
      maxReplicas: 10,
      mode: "Active",
      metrics: [podsMetric("hits")],
      ...spec,
    },
  };
}

export function target(api: FakeApi, name: string, value: string): void {
  api.put("deployments", deployment(name));
  const items = [0, 1, 2].map((n) => {
    api.put("pods", pod(`${name}-${n}`, name));
    return { describedObject: { name: `${name}-${n}` }, timestamp: new Date().toISOString(), value };
  });
  api.metrics.set(hitsPath, { kind: "MetricValueList", items });
}

export const replicas = (api: FakeApi, name = "shop") =>
  (api.get("deployments", "default", name).spec as { replicas: number }).replicas;

export function conditions(api: FakeApi, name = "shop"): Readonly<Record<string, string>> {
  const { status } = api.get("workloadautoscalers", "default", name) as { status?: { conditions?: unknown } };
  const list = (status?.conditions ?? []) as readonly { type: string; status: string; reason: string }[];
  return Object.fromEntries(list.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}

export const setUp = (spec: object, value = "20", clock: Clock = systemClock) =>
  rig({
    clock,
    before: (api) => {
      target(api, "shop", value);
      api.put("workloadautoscalers", wla("shop", spec));
    },
  });
