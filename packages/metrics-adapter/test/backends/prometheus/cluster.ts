import type { Change, KubeObject, Reflector, ResourceInfo, RestMapper } from "@plimsoll/kube";
import { createStore } from "@plimsoll/kube";
import { type ClusterResource, groupResourceOf } from "@plimsoll/rules";
import { type ObservedObject, projectObject } from "../../../src/objects/observed-object.ts";

interface ResourceSketch {
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly namespaced?: boolean;
  readonly shortNames?: readonly string[];
}

function info(sketch: ResourceSketch): ResourceInfo {
  return {
    group: "",
    version: "v1",
    namespaced: true,
    verbs: ["get", "list"],
    hasScale: false,
    shortNames: [],
    ...sketch,
  };
}

export const resources: readonly ResourceInfo[] = [
  { resource: "pods", singular: "pod", kind: "Pod", shortNames: ["po"] },
  { resource: "namespaces", singular: "namespace", kind: "Namespace", namespaced: false, shortNames: ["ns"] },
  { resource: "nodes", singular: "node", kind: "Node", namespaced: false, shortNames: ["no"] },
  {
    resource: "persistentvolumes",
    singular: "persistentvolume",
    kind: "PersistentVolume",
    namespaced: false,
  },
  { resource: "services", singular: "service", kind: "Service", shortNames: ["svc"] },
  { resource: "deployments", singular: "deployment", kind: "Deployment", group: "apps" },
  { resource: "ingresses", singular: "ingress", kind: "Ingress", group: "networking.k8s.io" },
  {
    resource: "brands",
    singular: "brand",
    kind: "Brand",
    group: "cheese.io",
    version: "v2",
    namespaced: false,
  },
].map(info);

/** Discovery over a fixed list, with short names as the real one has them. */
export function fakeMapper(known: readonly ResourceInfo[] = resources): Pick<RestMapper, "byResource"> {
  return {
    byResource(text) {
      const [name = "", ...group] = text.toLowerCase().split(".");
      return known.find(
        (one) =>
          [one.resource, one.singular, ...one.shortNames].includes(name) &&
          (group.length === 0 || one.group === group.join(".")),
      );
    },
  };
}

export function infoOf(groupResource: string): ResourceInfo {
  const found = resources.find((one) => groupResourceOf(one) === groupResource);
  if (found === undefined) throw new Error(`no ${groupResource}`);
  return found;
}

/** Objects by resource, behind reflectors that are in step from the start. */
export interface FakeCluster {
  reflect(info: ClusterResource): Reflector<ObservedObject>;
  /** Resources for which a reflector was made. */
  readonly watched: readonly string[];
  /** Changes an object of a resource that is watched, or adds it. */
  put(resource: string, object: KubeObject): void;
  remove(resource: string, namespace: string | undefined, name: string): void;
}

interface Watched {
  readonly store: ReturnType<typeof createStore<ObservedObject>>;
  readonly notify: (change: Change<ObservedObject>) => void;
}

export function fakeCluster(objects: Readonly<Record<string, readonly KubeObject[]>>): FakeCluster {
  const watched: string[] = [];
  const parts = new Map<string, Watched>();
  const part = (resource: string): Watched => {
    const found = parts.get(resource);
    if (found === undefined) throw new Error(`there is no watch of ${resource}`);
    return found;
  };
  return {
    watched,
    put(resource, raw) {
      const { store, notify } = part(resource);
      const object = projectObject(raw);
      const previous = store.set(object);
      notify(previous === undefined ? { type: "added", object } : { type: "modified", object, previous });
    },
    remove(resource, namespace, name) {
      const { store, notify } = part(resource);
      const previous = store.delete(namespace, name);
      if (previous !== undefined) notify({ type: "deleted", object: previous, previous });
    },
    reflect(resource) {
      const name = groupResourceOf(resource);
      watched.push(name);
      const store = createStore<ObservedObject>();
      for (const object of objects[name] ?? []) store.set(projectObject(object));
      const listeners: ((change: Change<ObservedObject>) => void)[] = [];
      parts.set(name, { store, notify: (change) => listeners.forEach((listener) => listener(change)) });
      return {
        store,
        isSynced: true,
        leftOut: [],
        leftOutIn: () => [],
        lastContactMs: 0,
        start: () => undefined,
        stop: async () => undefined,
        synced: async () => undefined,
        listed: async () => undefined,
        subscribe: (listener) => {
          listeners.push(listener);
          return () => undefined;
        },
      };
    },
  };
}

export function pod(
  namespace: string,
  name: string,
  labels: Record<string, string> = {},
  phase = "Running",
): KubeObject {
  return podWith({ namespace, name, labels }, { containers: [] }, { phase });
}

export function podWith(
  metadata: KubeObject["metadata"],
  spec: object,
  status: object = { phase: "Running" },
): KubeObject {
  return { metadata, spec, status } as KubeObject;
}
