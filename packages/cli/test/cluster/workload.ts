// Objects of a workload with an HPA, as a cluster has them.
import type { KubeObject } from "@plimsoll/kube";
import type { ServedObject } from "@plimsoll/observe";
import { type FakeCluster, fakeCluster } from "./fake-cluster.ts";

export interface WorkloadOptions {
  readonly namespace?: string;
  readonly name: string;
  readonly replicas: number;
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
  /** Percent. */
  readonly target?: number;
  /** Of each pod, in millicores; a request is 500. */
  readonly usage?: string;
  readonly metrics?: ServedObject["spec"]["metrics"];
  readonly behavior?: ServedObject["spec"]["behavior"];
  readonly status?: ServedObject["status"];
  readonly spec?: Partial<ServedObject["spec"]>;
  readonly metadata?: object;
}

const ready = { type: "Ready", status: "True", lastTransitionTime: "2026-11-22T08:00:00Z" };

/** A Deployment with running pods and their usage, and an HPA on CPU. */
export function putWorkload(cluster: FakeCluster, options: WorkloadOptions): void {
  const { namespace = "default", name, replicas, usage = "170m" } = options;
  const names = Array.from({ length: replicas }, (_, index) => `${name}-${index}`);
  cluster.put(
    hpaOf(options),
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: {
        name,
        namespace,
        ...({
          managedFields: [
            {
              manager: "kubectl",
              time: "2026-11-22T08:00:00Z",
              fieldsV1: { "f:spec": { "f:replicas": {} } },
            },
          ],
        } as object),
      },
    },
    ...names.map((pod): KubeObject & { readonly spec: object; readonly status: object } => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: pod, namespace, labels: { app: name } },
      spec: { containers: [{ name: "app", resources: { requests: { cpu: "500m" } } }] },
      status: { phase: "Running", startTime: "2026-11-22T08:00:00Z", conditions: [ready] },
    })),
  );
  cluster.reply(`/apis/apps/v1/namespaces/${namespace}/deployments/${name}/scale`, {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: { name, namespace, resourceVersion: "1" },
    spec: { replicas },
    status: { replicas, selector: `app=${name}` },
  });
  cluster.usage(
    namespace,
    names.map((pod) => ({
      metadata: { name: pod, namespace },
      timestamp: "2026-11-22T10:00:00Z",
      window: "15s",
      containers: [{ name: "app", usage: { cpu: usage } }],
    })),
  );
}

export function hpaOf(options: WorkloadOptions): ServedObject {
  const { namespace = "default", name, minReplicas = 2, maxReplicas = 40, target = 60 } = options;
  const cpu = {
    type: "Resource",
    resource: { name: "cpu", target: { type: "Utilization", averageUtilization: target } },
  };
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: {
      name,
      namespace,
      uid: `uid-${name}`,
      generation: 1,
      creationTimestamp: "2026-11-22T08:00:00Z",
      ...options.metadata,
    },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
      minReplicas,
      maxReplicas,
      metrics: options.metrics ?? [cpu],
      behavior: options.behavior,
      ...options.spec,
    },
    status: options.status,
  };
}

/** What the built-in controller writes. */
export function statusOf(
  replicas: number,
  values: {
    readonly cpu: number;
    readonly able?: string;
    readonly limited?: string;
    readonly desired?: number;
  },
): NonNullable<ServedObject["status"]> {
  const since = "2026-11-22T09:40:00Z";
  const { cpu, able = "ReadyForNewScale", limited = "DesiredWithinRange", desired = replicas } = values;
  return {
    observedGeneration: 1,
    currentReplicas: replicas,
    desiredReplicas: desired,
    currentMetrics: [
      {
        type: "Resource",
        resource: { name: "cpu", current: { averageUtilization: cpu, averageValue: "1" } },
      },
    ],
    conditions: [
      { type: "AbleToScale", status: "True", reason: able, message: "m", lastTransitionTime: since },
      {
        type: "ScalingActive",
        status: "True",
        reason: "ValidMetricFound",
        message: "m",
        lastTransitionTime: since,
      },
      {
        type: "ScalingLimited",
        status: limited === "DesiredWithinRange" ? "False" : "True",
        reason: limited,
        message: "m",
        lastTransitionTime: since,
      },
    ],
  };
}

/** A cluster with the Deployment shop and its HPA. */
export function shopCluster(options: Parameters<typeof fakeCluster>[0] = {}): FakeCluster {
  const fake = fakeCluster(options);
  putWorkload(fake, { name: "shop", replicas: 8, usage: "170m", status: statusOf(8, { cpu: 34 }) });
  return fake;
}
