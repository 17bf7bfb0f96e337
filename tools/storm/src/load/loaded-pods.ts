// The pods of the cluster and their workloads, as their load and their metrics depend on them.
import type { StoredObject, StoreEvent, VersionedStore } from "@plimsoll/sandbox";

/** One pod that exists, whatever its state. */
export interface LoadedPod {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** The name of the object at the top of its owners. */
  readonly workload: string;
  readonly containers: readonly string[];
  /** Whether its containers run. */
  isUp: boolean;
  /** Whether it gets its share of the load: Ready and not being deleted. */
  isServing: boolean;
  /** Of all its containers. */
  restarts: number;
}

/** A workload that has pods, or may have. */
export interface LoadedWorkload {
  readonly namespace: string;
  readonly name: string;
}

export interface LoadedPodsListener {
  /** Before anything changes: what is known still holds. */
  readonly before: () => void;
  readonly podAdded: (pod: LoadedPod) => void;
  readonly podRestarted: (pod: LoadedPod) => void;
  readonly podGone: (pod: LoadedPod) => void;
  readonly workloadAdded: (workload: LoadedWorkload) => void;
  readonly workloadGone: (workload: LoadedWorkload) => void;
}

export interface LoadedPods {
  observe(event: Pick<StoreEvent, "resource" | "type" | "object">): void;
  /** Compares everything with the store: a restored store says nothing of its changes. */
  resync(): void;
  servingOf(namespace: string, workload: string): number;
  /** By its uid. */
  of(uid: string): LoadedPod | undefined;
}

/** What is read of a pod. */
interface Pod extends StoredObject {
  readonly spec?: { readonly containers?: readonly { readonly name: string }[] };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses?: readonly {
      readonly restartCount?: number;
      readonly state?: { readonly running?: unknown };
    }[];
  };
}

const workloadResources = ["deployments.apps", "statefulsets.apps"];

export function createLoadedPods(
  store: Pick<VersionedStore, "get" | "list">,
  listener: LoadedPodsListener,
): LoadedPods {
  const pods = createPods(store, listener);
  const workloads = createWorkloads(listener);
  return {
    observe({ resource, type, object }) {
      if (resource === "pods") {
        if (type === "DELETED") pods.remove(object.metadata.uid ?? "");
        else pods.update(object);
      } else if (workloadResources.includes(resource)) {
        if (type === "DELETED") workloads.remove(keyOf(resource, object));
        else workloads.add(keyOf(resource, object), object);
      }
    },
    resync() {
      const listed = store.list("pods");
      pods.keep(new Set(listed.map(({ metadata }) => metadata.uid ?? "")));
      for (const pod of listed) pods.update(pod);
      const found = workloadResources.flatMap((resource) =>
        store.list(resource).map((object) => [keyOf(resource, object), object] as const),
      );
      workloads.keep(new Set(found.map(([key]) => key)));
      for (const [key, object] of found) workloads.add(key, object);
    },
    servingOf: pods.servingOf,
    of: pods.of,
  };
}

function createPods(store: Pick<VersionedStore, "get">, listener: LoadedPodsListener) {
  const pods = new Map<string, LoadedPod>();
  const serving = new Map<string, number>();

  const setServing = (pod: LoadedPod, isServing: boolean): void => {
    if (pod.isServing === isServing) return;
    const key = `${pod.namespace}/${pod.workload}`;
    serving.set(key, (serving.get(key) ?? 0) + (isServing ? 1 : -1));
    pod.isServing = isServing;
  };

  const remove = (uid: string): void => {
    const known = pods.get(uid);
    if (known === undefined) return;
    listener.before();
    setServing(known, false);
    pods.delete(uid);
    listener.podGone(known);
  };

  return {
    remove,
    of: (uid: string) => pods.get(uid),
    keep(uids: ReadonlySet<string>): void {
      for (const uid of pods.keys()) if (!uids.has(uid)) remove(uid);
    },
    update(object: StoredObject): void {
      const pod = object as Pod;
      const state = stateOf(pod);
      const uid = pod.metadata.uid ?? "";
      const known = pods.get(uid);
      if (known === undefined) {
        listener.before();
        const added = { ...newPod(store, pod), isUp: state.isUp, restarts: state.restarts };
        pods.set(uid, added);
        setServing(added, state.isServing);
        listener.podAdded(added);
        return;
      }
      const { isUp, isServing, restarts } = known;
      if (isUp === state.isUp && isServing === state.isServing && restarts === state.restarts) return;
      listener.before();
      known.isUp = state.isUp;
      known.restarts = state.restarts;
      setServing(known, state.isServing);
      if (state.restarts !== restarts) listener.podRestarted(known);
    },
    servingOf: (namespace: string, workload: string) => serving.get(`${namespace}/${workload}`) ?? 0,
  };
}

function createWorkloads(listener: LoadedPodsListener) {
  const workloads = new Map<string, LoadedWorkload>();
  const remove = (key: string): void => {
    const known = workloads.get(key);
    if (known === undefined) return;
    listener.before();
    workloads.delete(key);
    listener.workloadGone(known);
  };
  return {
    remove,
    keep(keys: ReadonlySet<string>): void {
      for (const key of workloads.keys()) if (!keys.has(key)) remove(key);
    },
    add(key: string, { metadata }: StoredObject): void {
      if (workloads.has(key)) return;
      const added = { namespace: metadata.namespace ?? "", name: metadata.name };
      listener.before();
      workloads.set(key, added);
      listener.workloadAdded(added);
    },
  };
}

function keyOf(resource: string, { metadata }: StoredObject): string {
  return `${resource}/${metadata.namespace ?? ""}/${metadata.name}`;
}

function stateOf({ metadata, status }: Pod): Pick<LoadedPod, "isUp" | "isServing" | "restarts"> {
  const statuses = status?.containerStatuses ?? [];
  const isUp = status?.phase === "Running" && statuses.every(({ state }) => state?.running !== undefined);
  const isReady =
    status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false;
  return {
    isUp,
    isServing: isUp && isReady && metadata.deletionTimestamp === undefined,
    restarts: statuses.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0),
  };
}

function newPod(store: Pick<VersionedStore, "get">, pod: Pod): LoadedPod {
  const { uid = "", namespace = "", name } = pod.metadata;
  const containers = (pod.spec?.containers ?? []).map((container) => container.name);
  const workload = topOwner(store, pod);
  return { uid, namespace, name, workload, containers, isUp: false, isServing: false, restarts: 0 };
}

function topOwner(store: Pick<VersionedStore, "get">, { metadata }: StoredObject): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined) return metadata.name;
  const above =
    owner.kind === "ReplicaSet" ? store.get("replicasets.apps", metadata.namespace, owner.name) : undefined;
  return above === undefined ? owner.name : topOwner(store, above);
}
