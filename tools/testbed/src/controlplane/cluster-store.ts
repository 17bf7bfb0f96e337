// Feeds the load model from a real cluster's watches.
import {
  createReflector,
  type KubeClient,
  type KubeObject,
  type Reflector,
  resourcePath,
} from "@plimsoll/kube";
import type { ObjectStore, StoredObject, StoreEvent } from "@plimsoll/sandbox";

/** What a real cluster holds of some resources, in the shape that the load model reads. */
export interface ClusterStore extends Pick<ObjectStore, "get" | "list" | "subscribe"> {
  stop(): Promise<void>;
}

const followed = [
  { group: "", version: "v1", resource: "pods" },
  { group: "", version: "v1", resource: "nodes" },
  { group: "apps", version: "v1", resource: "deployments" },
  { group: "apps", version: "v1", resource: "replicasets" },
  { group: "apps", version: "v1", resource: "statefulsets" },
  { group: "networking.k8s.io", version: "v1", resource: "ingresses" },
  { group: "autoscaling", version: "v2", resource: "horizontalpodautoscalers" },
] as const;

const eventTypes = { added: "ADDED", modified: "MODIFIED", deleted: "DELETED" } as const;

type ClusterObject = KubeObject & StoredObject;

/** Resolves when all of them have been listed once. */
export async function followCluster(
  client: KubeClient,
  onError: (error: unknown) => void,
): Promise<ClusterStore> {
  const listeners = new Set<(event: StoreEvent) => void>();
  const reflectors = new Map<string, Reflector<ClusterObject>>();
  for (const info of followed) {
    const resource = info.group === "" ? info.resource : `${info.resource}.${info.group}`;
    const reflector = createReflector<ClusterObject>({ client, path: resourcePath(info), onError });
    reflector.subscribe(({ type, object }) => {
      const version = Number(object.metadata.resourceVersion ?? 0);
      for (const listener of listeners) listener({ resource, type: eventTypes[type], object, version });
    });
    reflectors.set(resource, reflector);
    reflector.start();
  }
  await Promise.all([...reflectors.values()].map((reflector) => reflector.synced()));
  const storeOf = (resource: string) => {
    const found = reflectors.get(resource);
    if (found === undefined) throw new RangeError(`${resource} is not followed`);
    return found.store;
  };
  return {
    get: (resource, namespace, name) => storeOf(resource).get(namespace, name),
    list: (resource, namespace) => storeOf(resource).list(namespace),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async stop() {
      await Promise.all([...reflectors.values()].map((reflector) => reflector.stop()));
    },
  };
}
