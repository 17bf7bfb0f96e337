// The API types of workloads.
import type { OwnerReference } from "@plimsoll/kube";
import type { StoredObject } from "../storage/stored-object.ts";
import type { PodSpec } from "./pod.ts";

export interface PodTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: PodSpec;
}

export interface WorkloadCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastUpdateTime?: string;
  readonly lastTransitionTime?: string;
}

/** What Deployments, ReplicaSets, StatefulSets and ReplicationControllers have in common. */
export interface Workload extends StoredObject {
  readonly spec?: WorkloadSpec;
  readonly status?: WorkloadStatus;
}

export interface WorkloadSpec {
  readonly replicas?: number;
  readonly minReadySeconds?: number;
  readonly selector?: unknown;
  readonly template?: PodTemplate;
  readonly [field: string]: unknown;
}

export interface WorkloadStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly updatedReplicas?: number;
  readonly conditions?: readonly WorkloadCondition[];
  readonly [field: string]: unknown;
}

const resources: Readonly<Record<string, string>> = {
  Deployment: "deployments.apps",
  ReplicaSet: "replicasets.apps",
  StatefulSet: "statefulsets.apps",
  ReplicationController: "replicationcontrollers",
};

const kinds: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(resources).map(([kind, resource]) => [resource, kind]),
);

/** `deployments.apps` for `Deployment`; undefined for a kind that is not simulated. */
export function workloadResource(kind: string): string | undefined {
  return resources[kind];
}

export function workloadKind(resource: string): string | undefined {
  return kinds[resource];
}

export function controllerOf(object: StoredObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

export function replicasOf(workload: Workload): number {
  return workload.spec?.replicas ?? 1;
}

/** The ownerReference that makes `owner` the controller of an object. */
export function controllerReference(resource: string, owner: StoredObject): OwnerReference {
  return {
    apiVersion: resource.endsWith(".apps") ? "apps/v1" : "v1",
    kind: workloadKind(resource) ?? owner.kind ?? "",
    name: owner.metadata.name,
    uid: owner.metadata.uid ?? "",
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** The list with one condition set; lastTransitionTime moves only when the status does. */
export function withCondition(
  conditions: readonly WorkloadCondition[] | undefined,
  next: WorkloadCondition,
  nowText: string,
): readonly WorkloadCondition[] {
  const list = conditions ?? [];
  const before = list.find((condition) => condition.type === next.type);
  if (before?.status === next.status && before.reason === next.reason && before.message === next.message) {
    return list;
  }
  const lastTransitionTime = before?.status === next.status ? before.lastTransitionTime : nowText;
  const condition = {
    ...next,
    lastUpdateTime: nowText,
    ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }),
  };
  return before === undefined ? [...list, condition] : list.map((one) => (one === before ? condition : one));
}
