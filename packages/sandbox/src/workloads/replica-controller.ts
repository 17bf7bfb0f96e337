// The ReplicaSet and ReplicationController controllers.
import type { ControllerContext } from "./controller-context.ts";
import { isActive, type Pod } from "./pod.ts";
import { countPods } from "./pod-counts.ts";
import { scaleDownOrder } from "./scale-down-order.ts";
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
