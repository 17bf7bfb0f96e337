// A healthy object with everything that is known about it; tests change one thing.
import {
  type Decision,
  decide,
  type HorizontalPodAutoscaler,
  type HpaMemory,
  type MetricSamples,
  type OtherWriter,
} from "@plimsoll/core";
import type { Fields } from "@plimsoll/core/internal/values";
import {
  type Autoscaler,
  diagnose,
  type Evidence,
  type FactReadings,
  type Finding,
  known,
  type PastDecision,
  type PastMetric,
  readAutoscaler,
  rules,
} from "../src/index.ts";

export const nowMs = Date.parse("2026-11-22T10:00:00Z");

/** So many minutes ago, as RFC 3339. */
export function ago(minutes: number): string {
  return new Date(nowMs - minutes * 60_000).toISOString().replace(".000Z", "Z");
}

export function condition(type: string, status: string, reason: string, rest: Fields = {}): Fields {
  return { type, status, reason, message: `message of ${reason}`, lastTransitionTime: ago(60), ...rest };
}

export const cpu = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } },
};

export const queue = (type: "Value" | "AverageValue", amount = "30") => ({
  type: "External",
  external: {
    metric: { name: "queue_depth" },
    target: { type, [type === "Value" ? "value" : "averageValue"]: amount },
  },
});

export const podsMetric = {
  type: "Pods",
  pods: { metric: { name: "http_requests" }, target: { type: "AverageValue", averageValue: "10" } },
};

export interface HpaChanges {
  readonly name?: string;
  readonly metadata?: Fields;
  readonly spec?: Fields;
  readonly status?: Fields;
  readonly conditions?: readonly Fields[];
}

export const argocd: OtherWriter = {
  by: "argocd-controller",
  writes: "replicas",
  count: 14,
  since: ago(60),
  lastAt: ago(2),
  retryAt: ago(-2),
};

const target = { apiVersion: "apps/v1", kind: "Deployment", name: "shop" };

export function hpa({ name = "shop", metadata, spec, status, conditions }: HpaChanges = {}): Fields {
  const own = conditions ?? [
    condition("AbleToScale", "True", "ReadyForNewScale"),
    condition("ScalingActive", "True", "ValidMetricFound"),
    condition("ScalingLimited", "False", "DesiredWithinRange"),
  ];
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name, namespace: "default", uid: `uid-${name}`, creationTimestamp: ago(43_200), ...metadata },
    spec: { scaleTargetRef: target, minReplicas: 2, maxReplicas: 10, metrics: [cpu], ...spec },
    status: { currentReplicas: 3, desiredReplicas: 3, lastScaleTime: ago(120), ...status, conditions: own },
  };
}

export function wla(changes: HpaChanges = {}): Fields {
  const own = changes.conditions ?? [condition("Active", "True", "Managing")];
  const object = hpa({ ...changes, conditions: own });
  return { ...object, apiVersion: "autoscaling.plimsoll.dev/v1alpha1", kind: "WorkloadAutoscaler" };
}

export function autoscaler(raw: Fields): Autoscaler {
  const read = readAutoscaler(raw);
  if (read === undefined) throw new Error("no autoscaler");
  return read;
}

export const mainContainer = { name: "main", resources: { requests: { cpu: "500m", memory: "256Mi" } } };

export interface PodChanges {
  readonly containers?: readonly Fields[];
  readonly initContainers?: readonly Fields[];
  readonly owner?: Fields | undefined;
  readonly labels?: Fields;
  readonly createdAt?: string;
  readonly status?: Fields;
}

export function pod(index: number, changes: PodChanges = {}): Fields {
  const owner = { kind: "ReplicaSet", name: "shop-5d89", controller: true };
  const { containers = [mainContainer], initContainers = [], labels, status, createdAt = ago(600) } = changes;
  return {
    metadata: {
      name: `shop-5d89-${index}`,
      namespace: "default",
      labels: { app: "shop", "pod-template-hash": "5d89", ...labels },
      ownerReferences: "owner" in changes ? (changes.owner === undefined ? [] : [changes.owner]) : [owner],
      creationTimestamp: createdAt,
    },
    spec: { containers, initContainers },
    status: {
      phase: "Running",
      startTime: createdAt,
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: createdAt }],
      ...status,
    },
  };
}

export function podsOf(count: number, changes: PodChanges = {}): readonly Fields[] {
  return Array.from({ length: count }, (_, index) => pod(index, changes));
}

export const pendingPod = (index: number, message = "0/5 nodes are available: 5 Insufficient cpu."): Fields =>
  pod(index, {
    createdAt: ago(10),
    status: {
      phase: "Pending",
      conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }],
    },
  });

export function deployment(
  changes: { metadata?: Fields; spec?: Fields; status?: Fields; name?: string } = {},
): Fields {
  const { name = "shop", metadata, spec, status } = changes;
  const template = { metadata: { labels: { app: "shop" } }, spec: { containers: [mainContainer] } };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "default", ...metadata },
    spec: { replicas: 3, selector: { matchLabels: { app: "shop" } }, template, ...spec },
    status: { replicas: 3, updatedReplicas: 3, readyReplicas: 3, ...status },
  };
}

/** Usage of "main" in each pod, in milli-CPU. */
export function cpuSamples(milli: readonly number[], at = ago(0.5)): MetricSamples {
  return {
    pods: milli.map((usage, index) => ({
      name: `shop-5d89-${index}`,
      timestamp: at,
      windowSeconds: 30,
      containers: { main: { cpu: `${usage}m` } },
    })),
  };
}

export function decisionOf(
  raw: Fields,
  input: { pods: readonly Fields[]; samples: readonly MetricSamples[]; replicas?: number },
  memory: HpaMemory = {
    recommendations: [{ replicas: 3, atMs: nowMs - 86_400_000 }],
    scaleUpEvents: [],
    scaleDownEvents: [],
  },
): Decision {
  const { pods, samples, replicas = 3 } = input;
  return decide(
    {
      nowMs,
      hpa: raw as object as HorizontalPodAutoscaler,
      scale: { ok: true, specReplicas: replicas, statusReplicas: replicas, selector: "app=shop" },
      pods: { ok: true, pods: pods },
      samples,
    },
    memory,
  ).decision;
}

/** One decision a minute, the last one now. */
export function pastDecisions(
  count: number,
  at: (index: number) => {
    current?: number;
    desired?: number;
    metrics?: readonly Partial<PastMetric>[];
  } = () => ({}),
): readonly PastDecision[] {
  return Array.from({ length: count }, (_, index) => {
    const { current = 3, desired = current, metrics = [{}] } = at(index);
    return {
      atMs: nowMs - (count - 1 - index) * 60_000,
      current,
      desired,
      metrics: metrics.map((metric, position) => ({
        index: position,
        ratio: 1,
        total: undefined,
        replicas: current,
        withinTolerance: true,
        missing: [],
        ...metric,
      })),
    };
  });
}

export const apiService = (
  group: string,
  changes: { spec?: Fields; conditions?: readonly Fields[] } = {},
): Fields => ({
  kind: "APIService",
  metadata: { name: `v1beta1.${group}` },
  spec: { group, version: "v1beta1", service: { namespace: "monitoring", name: "adapter" }, ...changes.spec },
  status: { conditions: changes.conditions ?? [condition("Available", "True", "Passed")] },
});

export const node = (cpus: string, labels: Fields = {}): Fields => ({
  metadata: { name: "node", labels },
  status: { allocatable: { cpu: cpus, memory: "64Gi", pods: "110" } },
});

export interface World {
  readonly object?: Fields;
  readonly facts?: Partial<FactReadings>;
}

const healthyPods = podsOf(3);
const healthySamples = [{ samples: cpuSamples([300, 310, 290]) }];

export function healthyFacts(object: Fields): FactReadings {
  const own = autoscaler(object);
  return {
    hpas: known(own.kind === "HorizontalPodAutoscaler" ? [own] : []),
    wlas: known(own.kind === "WorkloadAutoscaler" ? [own] : []),
    scaledObjects: known([]),
    datadogAutoscalers: known([]),
    deployments: known([deployment()]),
    cronHpas: known([]),
    rollouts: known([]),
    vpas: known([]),
    pdbs: known([]),
    namespacePods: known(healthyPods),
    quotas: known([]),
    events: known([]),
    nodes: known([node("16"), node("16")]),
    metricRules: known([]),
    metricRuleNotes: known([]),
    adapterServices: known(["monitoring/adapter"]),
    adapterNotes: known([]),
    apiServices: known([apiService("metrics.k8s.io")]),
    target: known({ found: true, object: deployment() }),
    scale: known({ found: true, specReplicas: 3, statusReplicas: 3, selector: "app=shop" }),
    selectorPath: known(undefined),
    pods: known(healthyPods),
    selections: known([
      { object: own, selector: "app=shop", pods: healthyPods.map((_, index) => `shop-5d89-${index}`) },
    ]),
    samples: known(healthySamples),
    customMetrics: known(["pods/http_requests"]),
    externalMetrics: known(["queue_depth"]),
    decision: known(decisionOf(object, { pods: healthyPods, samples: [cpuSamples([300, 310, 290])] })),
    otherWriter: known(undefined),
    history: known(pastDecisions(90, (index) => ({ current: index < 30 ? 2 : 3 }))),
    adapterRules: known([]),
    fronts: known([]),
    installation: known(undefined),
  };
}

export function evidenceOf({ object = hpa(), facts = {} }: World): Evidence {
  const all = { ...healthyFacts(object), ...facts };
  return { nowMs, objects: [{ object: autoscaler(object), facts: all }], cluster: all };
}

/** What one rule finds and skips. */
export function examine(id: string, world: World): ReturnType<typeof diagnose> {
  const chosen = rules.filter((rule) => rule.id === id);
  return diagnose(evidenceOf(world), chosen);
}

/** Title and evidence of a finding, as one text. */
export function said({ title, evidence }: Finding): string {
  return [title, ...evidence.map(({ what, value }) => `${what} ${value}`)].join("; ");
}

export function found(id: string, world: World): readonly string[] {
  return examine(id, world).findings.map(said);
}
