import type { StoredObject } from "../storage/stored-object.ts";

/** The fields of a v1 Pod that the simulation reads and writes. */
export interface Pod extends StoredObject {
  readonly spec?: PodSpec;
  readonly status?: PodStatus;
}

export interface PodSpec {
  readonly nodeName?: string;
  readonly containers?: readonly ContainerSpec[];
  readonly terminationGracePeriodSeconds?: number;
  readonly readinessGates?: readonly { readonly conditionType: string }[];
  readonly [field: string]: unknown;
}

export interface ContainerSpec {
  readonly name: string;
  readonly image?: string;
  readonly [field: string]: unknown;
}

export interface PodStatus {
  readonly phase?: string;
  readonly reason?: string;
  readonly startTime?: string;
  readonly podIP?: string;
  readonly nominatedNodeName?: string;
  readonly conditions?: readonly PodCondition[];
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly [field: string]: unknown;
}

export interface PodCondition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface ContainerStatus {
  readonly name: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
  readonly [field: string]: unknown;
}

export interface ContainerState {
  readonly waiting?: { readonly reason?: string };
  readonly running?: { readonly startedAt?: string };
  readonly terminated?: {
    readonly reason?: string;
    readonly exitCode?: number;
    readonly signal?: number;
    readonly finishedAt?: string;
  };
}

export function podCondition(pod: Pod, type: string): PodCondition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type);
}

export function isReady(pod: Pod): boolean {
  return podCondition(pod, "Ready")?.status === "True";
}

export function isTerminating(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined;
}

export function isFinished(pod: Pod): boolean {
  return pod.status?.phase === "Failed" || pod.status?.phase === "Succeeded";
}

/** Counts towards the replicas of its owner: not being deleted and not finished. */
export function isActive(pod: Pod): boolean {
  return !isTerminating(pod) && !isFinished(pod);
}

/** When a Ready pod counts as available (it has been Ready for minReadySeconds); undefined when it is not Ready. */
export function availableFromMs(pod: Pod, minReadySeconds: number): number | undefined {
  const ready = podCondition(pod, "Ready");
  if (ready?.status !== "True") return undefined;
  if (minReadySeconds <= 0 || ready.lastTransitionTime === undefined) return 0;
  return Date.parse(ready.lastTransitionTime) + minReadySeconds * 1000;
}
