import type { Timestamp } from "../values/time/rfc3339.ts";
import type { ObjectMeta } from "./object-meta.ts";

/** The fields of a v1.Pod that take part in the math; a whole pod may be passed. */
export interface Pod {
  readonly metadata?: Pick<ObjectMeta, "name" | "namespace" | "labels" | "deletionTimestamp"> | undefined;
  readonly spec?: PodSpec | undefined;
  readonly status?: PodStatus | undefined;
}

/** The part of the spec of a pod that is read. */
export interface PodSpec {
  readonly containers?: readonly Container[] | undefined;
  readonly initContainers?: readonly Container[] | undefined;
  /** Pod-level resources. */
  readonly resources?: ResourceRequirements | undefined;
  readonly overhead?: Readonly<Record<string, string>> | undefined;
}

/** The part of a v1.Container that is read. */
export interface Container {
  readonly name: string;
  /** "Always" on an init container makes it a sidecar. */
  readonly restartPolicy?: string | undefined;
  readonly resources?: ResourceRequirements | undefined;
}

/** The part of resources that is read. */
export interface ResourceRequirements {
  /** Resource name → quantity. */
  readonly requests?: Readonly<Record<string, string>> | undefined;
}

/** The part of the status of a pod that is read. */
export interface PodStatus {
  readonly phase?: string | undefined;
  readonly startTime?: Timestamp | undefined;
  readonly conditions?: readonly PodCondition[] | undefined;
}

/** One entry of status.conditions of a pod. */
export interface PodCondition {
  readonly type: string;
  readonly status: string;
  /** Absent is Go's zero time. */
  readonly lastTransitionTime?: Timestamp | undefined;
}
