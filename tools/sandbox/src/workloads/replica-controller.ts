// The ReplicaSet and ReplicationController controllers.
import type { ControllerContext } from "./controller-context.ts";
import { isActive, isReady, type Pod, podCondition } from "./pod.ts";
import { countPods } from "./pod-counts.ts";
import { replicasOf, type Workload } from "./workload.ts";

// One sync makes or ends at most this many pods, so that a huge workload does not hold up the others.
const burst = 500;

/** Keeps the pods of a ReplicaSet or a ReplicationController at its replica count, and its status true. */
export function syncReplicas(context: ControllerContext, resource: string, owner: Workload): void {
  if (owner.metadata.deletionTimestamp === undefined) adjust(context, resource, owner);
  writeStatus(context, resource, owner);
}

function activePods(context: ControllerContext, owner: Workload): readonly Pod[] {
  return (context.index.dependents(owner.metadata.uid, "pods") as readonly Pod[]).filter(isActive);
}

function adjust(context: ControllerContext, resource: string, owner: Workload): void {
  const pods = activePods(context, owner);
  const missing = replicasOf(owner) - pods.length;
  if (missing > 0) {
    for (let count = Math.min(missing, burst); count > 0; count -= 1) {
      context.pods.create({ ownerResource: resource, owner, template: owner.spec?.template });
    }
  } else if (missing < 0) {
    for (const pod of scaleDownOrder(pods).slice(0, Math.min(-missing, burst))) context.pods.terminate(pod);
  }
  if (Math.abs(missing) > burst) context.requeueAfter(resource, owner, 0);
}

function writeStatus(context: ControllerContext, resource: string, owner: Workload): void {
  const pods = activePods(context, owner);
  const counts = countPods(pods, owner.spec?.minReadySeconds ?? 0, context.clock.nowMs());
  if (counts.nextAvailableInMs !== undefined) context.requeueAfter(resource, owner, counts.nextAvailableInMs);
  context.store.update(resource, {
    ...owner,
    status: {
      replicas: pods.length,
      ...(pods.length === 0 ? {} : { fullyLabeledReplicas: pods.length }),
      ...(counts.ready === 0 ? {} : { readyReplicas: counts.ready }),
      ...(counts.available === 0 ? {} : { availableReplicas: counts.available }),
      observedGeneration: owner.metadata.generation ?? 1,
      ...(owner.status?.conditions === undefined ? {} : { conditions: owner.status.conditions }),
    },
  });
}

const phaseRank: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/**
 * The pods in the order in which a scale-down takes them: without a node, not running, not ready, cheapest to
 * delete, ready for the shortest time, most restarts, newest.
 * @upstream pkg/controller/controller_utils.go#ActivePodsWithRanks
 */
function scaleDownOrder(pods: readonly Pod[]): readonly Pod[] {
  return pods
    .map((pod) => ({ pod, rank: rankOf(pod) }))
    .sort((a, b) => compareRanks(a.rank, b.rank) || (a.pod.metadata.name < b.pod.metadata.name ? 1 : -1))
    .map(({ pod }) => pod);
}

function rankOf(pod: Pod): readonly number[] {
  return [
    pod.spec?.nodeName === undefined ? 0 : 1,
    phaseRank[pod.status?.phase ?? "Pending"] ?? 1,
    isReady(pod) ? 1 : 0,
    deletionCost(pod),
    -readySinceMs(pod),
    -Math.max(0, ...(pod.status?.containerStatuses ?? []).map((one) => one.restartCount ?? 0)),
    -Date.parse(pod.metadata.creationTimestamp ?? "1970-01-01T00:00:00Z"),
  ];
}

function deletionCost({ metadata }: Pod): number {
  return Number(metadata.annotations?.["controller.kubernetes.io/pod-deletion-cost"] ?? 0) || 0;
}

/** 0 for a pod that is not ready. */
function readySinceMs(pod: Pod): number {
  const since = isReady(pod) ? podCondition(pod, "Ready")?.lastTransitionTime : undefined;
  return since === undefined ? 0 : Date.parse(since);
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [index, rank] of a.entries()) {
    const difference = rank - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
