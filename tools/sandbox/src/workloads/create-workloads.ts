// Assembles the simulated controllers, scheduler and kubelets around one queue.
import type { Clock } from "@plimsoll/component-base";
import type { ObjectStore, StoreEvent } from "../storage/object-store.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import type { ControllerContext } from "./controller-context.ts";
import { syncDeployment } from "./deployment-controller.ts";
import { createGarbageCollector, type GarbageCollector, waitsForDependents } from "./garbage-collector.ts";
import { createKeyedQueue, type KeyedQueue } from "./keyed-queue.ts";
import { type NodeSize, nodeNames, nodeObject } from "./nodes.ts";
import { createOwnerIndex, type OwnerIndex } from "./owner-index.ts";
import type { Pod } from "./pod.ts";
import { createPodFactory } from "./pod-factory.ts";
import { createPodLifecycle, type PodLifecycle } from "./pod-lifecycle.ts";
import { syncReplicas } from "./replica-controller.ts";
import { syncStatefulSet } from "./stateful-set-controller.ts";
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
  /** The first byte of the pods' addresses, default 10; with 127 they are reached at this machine. */
  readonly podNetwork?: number;
  /** Called with what a controller threw; without it the error is thrown on. */
  readonly onError?: (error: unknown) => void;
}

/** The controllers, scheduler and kubelets of the sandbox. */
export interface Workloads {
  start(): void;
  stop(): void;
}

type Options = WorkloadOptions & { readonly store: ObjectStore; readonly clock: Clock };

export function createWorkloads(options: Options): Workloads {
  const { store } = options;
  const serials: Serials = { names: 0, pods: 0 };
  let stop: (() => void) | undefined;
  return {
    start() {
      if (stop !== undefined) return;
      // What was known before may be wrong by now.
      const parts = createParts(options, serials);
      const observe = createObserver(store, parts);
      const unsubscribe = store.subscribe(observe);
      stop = () => {
        unsubscribe();
        parts.queue.stop();
      };
      createNodes(options);
      const present = store
        .resources()
        .flatMap((resource) =>
          store.list(resource).map((object) => ({ resource, type: "ADDED" as const, object })),
        );
      for (const event of present) observe(event);
      const uids = new Set(present.map(({ object }) => object.metadata.uid ?? ""));
      for (const { object } of present) {
        for (const { uid } of object.metadata.ownerReferences ?? [])
          if (!uids.has(uid)) parts.queue.add(ownerGoneKey(uid));
      }
    },
    stop() {
      stop?.();
      stop = undefined;
    },
  };
}

/** Numbers of what was made so far: none is used twice, also after stop(). */
interface Serials {
  names: number;
  pods: number;
}

interface Parts {
  readonly queue: KeyedQueue;
  readonly index: OwnerIndex;
  readonly context: ControllerContext;
  readonly garbage: GarbageCollector;
  readonly lifecycle: PodLifecycle;
}

function createParts(options: Options, serials: Serials): Parts {
  const { store, clock, onError } = options;
  const index = createOwnerIndex();
  const queue = createKeyedQueue({
    clock,
    sync: (key) => sync(parts, parseKey(key)),
    ...(onError === undefined ? {} : { onError: (error: unknown) => onError(error) }),
  });
  const pods = createPodFactory({ store, clock, nextSerial: () => (serials.names += 1) });
  const requeueAfter = (resource: string, object: StoredObject, delayMs: number): void =>
    queue.addAfter(objectKey(resource, object), delayMs);
  const lifecycle = createPodLifecycle({
    store,
    clock,
    nextSerial: () => (serials.pods += 1),
    nodes: nodeNames(options.nodes ?? defaultNodes),
    startDelayMs: options.startDelayMs ?? 0,
    readyDelayMs: options.readyDelayMs ?? 1000,
    terminationMs: options.terminationMs ?? 1000,
    podNetwork: options.podNetwork ?? 10,
    requeueAfter: (pod, delayMs) => requeueAfter("pods", pod, delayMs),
  });
  const parts: Parts = {
    queue,
    index,
    context: { store, index, clock, pods, requeueAfter },
    garbage: createGarbageCollector({ store, index, clock, pods }),
    lifecycle,
  };
  return parts;
}

const defaultNodes = 2;

function createNodes({ store, clock, nodes = defaultNodes, nodeSize }: Options): void {
  for (const [offset, name] of nodeNames(nodes).entries()) {
    if (store.get("nodes", undefined, name) !== undefined) continue;
    const size = nodeSize === undefined ? {} : { size: nodeSize };
    store.create("nodes", nodeObject({ name, number: offset + 1, nowMs: clock.nowMs(), ...size }));
  }
}

function sync({ context, garbage, lifecycle }: Parts, work: Work): void {
  if (work.type === "ownerGone") {
    garbage.ownerGone(work.uid);
    return;
  }
  const object = context.store.get(work.resource, work.namespace, work.name);
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
}

type Observed = Pick<StoreEvent, "resource" | "type" | "object" | "previous">;

/** Queues what an event of the store concerns. */
function createObserver(store: ObjectStore, { queue, index, lifecycle }: Parts): (event: Observed) => void {
  /** Keys of the owners whose deletion waits for their dependents, by uid. */
  const waiting = new Map<string, string>();

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

  return (event) => {
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
    // A Deployment that waits for its old pods to be gone is notified only from here.
    if (type === "DELETED" && resource === "pods" && owner !== undefined) addController(owner);
  };
}

/** A queue entry: the sync of an object, or the deletion of the dependents of a deleted owner. */
type Work =
  | {
      readonly type: "object";
      readonly resource: string;
      readonly namespace: string | undefined;
      readonly name: string;
    }
  | { readonly type: "ownerGone"; readonly uid: string };

function objectKey(resource: string, object: StoredObject): string {
  return `object|${resource}|${object.metadata.namespace ?? ""}|${object.metadata.name}`;
}

function ownerGoneKey(uid: string): string {
  return `ownerGone|${uid}`;
}

function parseKey(key: string): Work {
  const [type, first = "", namespace = "", name = ""] = key.split("|");
  if (type === "ownerGone") return { type: "ownerGone", uid: first };
  return { type: "object", resource: first, namespace: namespace === "" ? undefined : namespace, name };
}
