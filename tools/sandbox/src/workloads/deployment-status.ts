// Computes the status of a Deployment.
import { timestamp } from "../storage/object-store.ts";
import { resolveLimits } from "./rolling-update.ts";
import {
  replicasOf,
  type Workload,
  type WorkloadCondition,
  type WorkloadStatus,
  withCondition,
} from "./workload.ts";

export interface DeploymentStatusInput {
  readonly deployment: Workload;
  readonly current: Workload | undefined;
  readonly all: readonly Workload[];
  readonly createdCurrent: boolean;
  readonly nowMs: number;
}

/** A Deployment's status from its ReplicaSets'. */
export function deploymentStatus(options: DeploymentStatusInput): WorkloadStatus {
  const { deployment, current, all } = options;
  const replicas = sum(all, (one) => one.status?.replicas);
  const available = sum(all, (one) => one.status?.availableReplicas);
  const ready = sum(all, (one) => one.status?.readyReplicas);
  const updated = current?.status?.replicas ?? 0;
  const unavailable = Math.max(0, replicas - available);
  const numbers = {
    observedGeneration: deployment.metadata.generation ?? 1,
    ...positive("replicas", replicas),
    ...positive("updatedReplicas", updated),
    ...positive("readyReplicas", ready),
    ...positive("availableReplicas", available),
    ...positive("unavailableReplicas", unavailable),
  };
  const now = timestamp(options.nowMs);
  const progressing = progressingCondition(options, {
    ...numbers,
    replicas,
    updatedReplicas: updated,
    availableReplicas: available,
  });
  const withAvailable = withCondition(
    deployment.status?.conditions,
    availableCondition(deployment, available),
    now,
  );
  return { ...numbers, conditions: withCondition(withAvailable, progressing, now) };
}

/** How long until a rollout without progress counts as failed; undefined when none is in progress. */
export function progressDeadlineInMs(deployment: Workload, nowMs: number): number | undefined {
  const seconds = deployment.spec?.["progressDeadlineSeconds"];
  const condition = progressingOf(deployment);
  if (condition?.status !== "True" || condition.reason === "NewReplicaSetAvailable") return undefined;
  if (condition.lastUpdateTime === undefined) return undefined;
  return Date.parse(condition.lastUpdateTime) + (typeof seconds === "number" ? seconds : 600) * 1000 - nowMs;
}

function availableCondition(deployment: Workload, available: number): WorkloadCondition {
  const replicas = replicasOf(deployment);
  const allowed = replicas === 0 ? 0 : resolveLimits(replicas, rollingUpdateOf(deployment)).maxUnavailable;
  return available >= replicas - allowed
    ? {
        type: "Available",
        status: "True",
        reason: "MinimumReplicasAvailable",
        message: "Deployment has minimum availability.",
      }
    : {
        type: "Available",
        status: "False",
        reason: "MinimumReplicasUnavailable",
        message: "Deployment does not have minimum availability.",
      };
}

function progressingCondition(options: DeploymentStatusInput, next: WorkloadStatus): WorkloadCondition {
  const { deployment, current } = options;
  const before = progressingOf(deployment);
  const name = current?.metadata.name ?? "";
  const condition = (status: string, reason: string, message: string): WorkloadCondition => ({
    type: "Progressing",
    status,
    reason,
    message,
  });
  const replicas = replicasOf(deployment);
  if (options.createdCurrent)
    return condition("True", "NewReplicaSetCreated", `Created new replica set "${name}"`);
  // Scaling a Deployment that was fully rolled out does not start a new rollout.
  if (before?.reason === "NewReplicaSetAvailable" && next.replicas === next.updatedReplicas) return before;
  if (
    next.updatedReplicas === replicas &&
    next.replicas === replicas &&
    next.availableReplicas === replicas
  ) {
    return condition("True", "NewReplicaSetAvailable", `ReplicaSet "${name}" has successfully progressed.`);
  }
  if (hasProgressed(deployment, next) || before === undefined) {
    return condition("True", "ReplicaSetUpdated", `ReplicaSet "${name}" is progressing.`);
  }
  if ((progressDeadlineInMs(deployment, options.nowMs) ?? 1) <= 0) {
    return condition("False", "ProgressDeadlineExceeded", `ReplicaSet "${name}" has timed out progressing.`);
  }
  return before;
}

function hasProgressed(deployment: Workload, next: WorkloadStatus): boolean {
  const before = deployment.status ?? {};
  const oldBefore = (before.replicas ?? 0) - (before.updatedReplicas ?? 0);
  const oldNow = (next.replicas ?? 0) - (next.updatedReplicas ?? 0);
  return (
    (next.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    oldNow < oldBefore ||
    (next.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (next.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

export function rollingUpdateOf(
  deployment: Workload,
): { readonly maxSurge?: number | string; readonly maxUnavailable?: number | string } | undefined {
  const strategy = deployment.spec?.["strategy"];
  if (typeof strategy !== "object" || strategy === null || !("rollingUpdate" in strategy)) return undefined;
  return strategy.rollingUpdate ?? undefined;
}

function progressingOf(deployment: Workload): WorkloadCondition | undefined {
  return deployment.status?.conditions?.find((condition) => condition.type === "Progressing");
}

function positive(name: string, value: number): Readonly<Record<string, number>> {
  return value === 0 ? {} : { [name]: value };
}

function sum(list: readonly Workload[], of: (one: Workload) => number | undefined): number {
  return list.reduce((total, one) => total + (of(one) ?? 0), 0);
}
