import type { Clock } from "@plimsoll/kube";
import type { ObjectStore, StoreEvent } from "../storage/object-store.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import type { ControllerContext } from "./controller-context.ts";
import { syncDeployment } from "./deployment-controller.ts";
import { createGarbageCollector, waitsForDependents } from "./garbage-collector.ts";
import { createKeyedQueue } from "./keyed-queue.ts";
import { type NodeSize, nodeNames, nodeObject } from "./nodes.ts";
import { createOwnerIndex } from "./owner-index.ts";
import type { Pod } from "./pod.ts";
import { createPodFactory } from "./pod-factory.ts";
import { createPodLifecycle } from "./pod-lifecycle.ts";
import { syncReplicas } from "./replica-controller.ts";
import { syncStatefulSet } from "./stateful-set-controller.ts";
import { objectKey, ownerGoneKey, parseKey, type Work } from "./work-key.ts";
import { controllerOf, type Workload, workloadKind, workloadResource } from "./workload.ts";

export interface WorkloadOptions {
  /** From Running to Ready, default 1 s; the annotation sandbox.plimsoll.dev/ready-delay overrides it. */
  readonly readyDelayMs?: number;
  /** From creation to Running, default 0. */
  readonly startDelayMs?: number;
  /** From the deletion of a pod until it is gone, default 1 s. */
  readonly terminationMs?: number;
  /** How many nodes there are, default 2. */
  readonly nodes?: number;
  readonly nodeSize?: NodeSize;
  /** Called with what a controller threw; without it the error is thrown on. */
  readonly onError?: (error: unknown) => void;
}

/** The controllers, scheduler and kubelets of the sandbox. */
export interface Workloads {
  start(): void;
  stop(): void;
}

export function createWorkloads(o: WorkloadOptions & { store: ObjectStore; clock: Clock }): Workloads {
  const { store, clock } = o;
  const nodes = nodeNames(o.nodes ?? 2);
  const index = createOwnerIndex();
  const { onError } = o;
  const queue = createKeyedQueue({
    clock,
    sync: (key) => sync(parseKey(key)),
    ...(onError === undefined ? {} : { onError: (error: unknown) => onError(error) }),
  });
  const pods = createPodFactory({ store, clock });
  const again = (resource: string, object: StoredObject, delayMs: number): void =>
    queue.addAfter(objectKey(resource, object), delayMs);
  const context: ControllerContext = { store, index, clock, pods, again };
  const garbage = createGarbageCollector({ store, index, clock, pods });
  const lifecycle = createPodLifecycle({
    store,
    clock,
    nodes,
    startDelayMs: o.startDelayMs ?? 0,
    readyDelayMs: o.readyDelayMs ?? 1000,
    terminationMs: o.terminationMs ?? 1000,
    again: (pod, delayMs) => again("pods", pod, delayMs),
  });
  /** Keys of the owners whose deletion waits for their dependents, by uid. */
  const waiting = new Map<string, string>();
  let unsubscribe: (() => void) | undefined;

  const sync = (work: Work): void => {
    if (work.type === "ownerGone") {
      garbage.ownerGone(work.uid);
      return;
    }
    const object = store.get(work.resource, work.namespace, work.name);
    if (object === undefined) return;
    if (waitsForDependents(object)) {
      garbage.ownerWaits(work.resource, object);
      return;
    }
    switch (work.resource) {
      case "pods":
        return lifecycle.sync(object as Pod);
      case "replicasets.apps":
      case "replicationcontrollers":
        return syncReplicas(context, work.resource, object as Workload);
      case "deployments.apps":
        return syncDeployment(context, work);
      case "statefulsets.apps":
        return syncStatefulSet(context, work);
      default:
        return;
    }
  };

  const addController = (object: StoredObject): StoredObject | undefined => {
    const reference = controllerOf(object);
    const resource = reference === undefined ? undefined : workloadResource(reference.kind);
    if (reference === undefined || resource === undefined) return undefined;
    const owner = store.get(resource, object.metadata.namespace, reference.name);
    if (owner === undefined || owner.metadata.uid !== reference.uid) return undefined;
    queue.add(objectKey(resource, owner));
    return owner;
  };

  const addWaitingOwners = (object: StoredObject): void => {
    for (const { uid } of object.metadata.ownerReferences ?? []) {
      const key = waiting.get(uid);
      if (key !== undefined) queue.add(key);
    }
  };

  const observe = (event: Pick<StoreEvent, "resource" | "type" | "object" | "previous">): void => {
    const { resource, type, object } = event;
    index.apply(event);
    const isWorkload = workloadKind(resource) !== undefined;
    if (type === "DELETED") {
      const uid = object.metadata.uid ?? "";
      waiting.delete(uid);
      if (index.all(uid).length > 0) queue.add(ownerGoneKey(uid));
      if (resource === "pods") lifecycle.forget(object as Pod);
      addWaitingOwners(object);
    } else {
      const waits = waitsForDependents(object);
      if (waits) waiting.set(object.metadata.uid ?? "", objectKey(resource, object));
      if (waits || isWorkload || resource === "pods") queue.add(objectKey(resource, object));
    }
    if (resource !== "pods" && !isWorkload) return;
    const owner = addController(object);
    // A Deployment that waits for its old pods to be gone hears of it only from here.
    if (type === "DELETED" && resource === "pods" && owner !== undefined) addController(owner);
  };

  return {
    start() {
      if (unsubscribe !== undefined) return;
      unsubscribe = store.subscribe(observe);
      for (const [offset, name] of nodes.entries()) {
        if (store.get("nodes", undefined, name) !== undefined) continue;
        const size = o.nodeSize === undefined ? {} : { size: o.nodeSize };
        store.create("nodes", nodeObject({ name, number: offset + 1, nowMs: clock.nowMs(), ...size }));
      }
      for (const resource of [
        "deployments.apps",
        "replicasets.apps",
        "statefulsets.apps",
        "replicationcontrollers",
        "pods",
      ]) {
        for (const object of store.list(resource)) observe({ resource, type: "ADDED", object });
      }
    },
    stop() {
      unsubscribe?.();
      unsubscribe = undefined;
      queue.stop();
    },
  };
}
