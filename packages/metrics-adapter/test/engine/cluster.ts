import type { KubeObject, Reflector, ResourceInfo } from "@plimsoll/kube";
import { createStore } from "@plimsoll/kube";
import { groupResourceOf, type ResourceMapper } from "../../src/naming/resource-labels.ts";
import { type ObservedObject, projectObject } from "../../src/objects/observed-object.ts";

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
export function fakeMapper(known: readonly ResourceInfo[] = resources): ResourceMapper {
  return {
    async byResource(text) {
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
  reflect(info: ResourceInfo): Reflector<ObservedObject>;
  /** Resources for which a reflector was made. */
  readonly watched: readonly string[];
}

export function fakeCluster(objects: Readonly<Record<string, readonly KubeObject[]>>): FakeCluster {
  const watched: string[] = [];
  return {
    watched,
    reflect(resource) {
      const name = groupResourceOf(resource);
      watched.push(name);
      const store = createStore<ObservedObject>();
      for (const object of objects[name] ?? []) store.set(projectObject(object));
      return {
        store,
        isSynced: true,
        start: () => undefined,
        stop: async () => undefined,
        synced: async () => undefined,
        subscribe: () => () => undefined,
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
  return { metadata: { namespace, name, labels }, status: { phase } } as KubeObject;
}
