// Tracks running pods.
import type { ObjectStore, StoreEvent } from "../storage/object-store.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { isReady, isTerminating, type Pod } from "../workloads/pod.ts";
import { controllerOf } from "../workloads/workload.ts";
import { workloadKey } from "./workload-load.ts";

/** A Running pod. */
export interface TrackedPod {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly node: string;
  readonly containers: readonly string[];
  /** The key of the workload at the top of its owners. */
  readonly workload: string;
  /** Ready and not being deleted. */
  serving: boolean;
}

export interface PodListener {
  /** Before a pod joins, leaves or changes whether it serves; the old count still holds. */
  readonly before: (workload: string) => void;
  readonly joined: (pod: TrackedPod) => void;
  readonly servingChanged: (pod: TrackedPod) => void;
  readonly left: (pod: TrackedPod) => void;
}

/** Which pods run and which serve, by workload, at constant cost for each change. */
export interface PodTracker {
  start(): void;
  stop(): void;
  running(): Iterable<TrackedPod>;
  runningOf(workload: string): Iterable<TrackedPod>;
  readonly servingOf: (workload: string) => number;
}

interface Group {
  readonly pods: Set<TrackedPod>;
  serving: number;
}

export function createPodTracker(
  store: Pick<ObjectStore, "get" | "list" | "subscribe">,
  listener: PodListener,
): PodTracker {
  const pods = new Map<string, TrackedPod>();
  const groups = new Map<string, Group>();
  let unsubscribe: (() => void) | undefined;

  const join = (uid: string, pod: Pod): TrackedPod => {
    const tracked = trackedPod(uid, pod, topOwner(store, pod, "Pod"));
    listener.before(tracked.workload);
    pods.set(uid, tracked);
    groupOf(groups, tracked.workload).pods.add(tracked);
    listener.joined(tracked);
    return tracked;
  };

  const setServing = (tracked: TrackedPod, serving: boolean): void => {
    if (tracked.serving === serving) return;
    listener.before(tracked.workload);
    const group = groups.get(tracked.workload);
    if (group !== undefined) group.serving += serving ? 1 : -1;
    tracked.serving = serving;
    listener.servingChanged(tracked);
  };

  const leave = (tracked: TrackedPod): void => {
    setServing(tracked, false);
    listener.left(tracked);
    pods.delete(tracked.uid);
    leaveGroup(groups, tracked);
  };

  const observe = ({ resource, type, object }: Pick<StoreEvent, "resource" | "type" | "object">): void => {
    if (resource !== "pods") return;
    const pod = object as Pod;
    const uid = pod.metadata.uid ?? "";
    const tracked = pods.get(uid);
    if (type === "DELETED" || pod.status?.phase !== "Running") {
      if (tracked !== undefined) leave(tracked);
      return;
    }
    setServing(tracked ?? join(uid, pod), isReady(pod) && !isTerminating(pod));
  };

  return {
    start() {
      if (unsubscribe !== undefined) return;
      unsubscribe = store.subscribe(observe);
      for (const object of store.list("pods")) observe({ resource: "pods", type: "ADDED", object });
    },
    stop() {
      unsubscribe?.();
      unsubscribe = undefined;
    },
    running: () => pods.values(),
    runningOf: (workload) => groups.get(workload)?.pods ?? [],
    servingOf: (workload) => groups.get(workload)?.serving ?? 0,
  };
}

function groupOf(groups: Map<string, Group>, workload: string): Group {
  const known = groups.get(workload);
  if (known !== undefined) return known;
  const group = { pods: new Set<TrackedPod>(), serving: 0 };
  groups.set(workload, group);
  return group;
}

function leaveGroup(groups: Map<string, Group>, tracked: TrackedPod): void {
  const group = groups.get(tracked.workload);
  group?.pods.delete(tracked);
  if (group?.pods.size === 0) groups.delete(tracked.workload);
}

/** The key of the workload at the top of the owners. */
function topOwner(store: Pick<ObjectStore, "get">, object: StoredObject, kind: string): string {
  const namespace = object.metadata.namespace ?? "";
  const reference = controllerOf(object);
  if (reference === undefined) return workloadKey({ namespace, kind, name: object.metadata.name });
  const owner =
    reference.kind === "ReplicaSet" ? store.get("replicasets.apps", namespace, reference.name) : undefined;
  if (owner !== undefined && controllerOf(owner) !== undefined) return topOwner(store, owner, reference.kind);
  return workloadKey({ namespace, kind: reference.kind, name: reference.name });
}

function trackedPod(uid: string, pod: Pod, workload: string): TrackedPod {
  return {
    uid,
    namespace: pod.metadata.namespace ?? "",
    name: pod.metadata.name,
    node: pod.spec?.nodeName ?? "",
    containers: (pod.spec?.containers ?? []).map((container) => container.name),
    workload,
    serving: false,
  };
}
