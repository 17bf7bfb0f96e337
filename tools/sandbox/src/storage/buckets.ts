// An index of stored objects by resource and namespace.
import { compareText } from "@plimsoll/core/internal/values";
import type { StoredObject } from "./stored-object.ts";

/** Objects by resource, namespace and name. */
export interface Buckets {
  get(resource: string, namespace: string | undefined, name: string): StoredObject | undefined;
  /** Those that have objects, or had. */
  resources(): readonly string[];
  /** Sorted by namespace, then name. */
  list(resource: string, namespace?: string): readonly StoredObject[];
  set(resource: string, object: StoredObject): void;
  delete(resource: string, object: StoredObject): void;
}

export function createBuckets(): Buckets {
  const resources = new Map<string, Map<string, StoredObject>>();
  /** Whole resources in the order of a list, until the next write: a list of many pages sorts once. */
  const sorted = new Map<string, readonly StoredObject[]>();
  return {
    get: (resource, namespace, name) => resources.get(resource)?.get(keyOf({ namespace, name })),
    resources: () => [...resources.keys()],
    list(resource, namespace) {
      const all = sorted.get(resource) ?? inOrder(resources.get(resource));
      sorted.set(resource, all);
      return namespace === undefined ? all : all.filter((object) => object.metadata.namespace === namespace);
    },
    set(resource, object) {
      let bucket = resources.get(resource);
      if (bucket === undefined) resources.set(resource, (bucket = new Map()));
      bucket.set(keyOf(object.metadata), object);
      sorted.delete(resource);
    },
    delete(resource, { metadata }) {
      resources.get(resource)?.delete(keyOf(metadata));
      sorted.delete(resource);
    },
  };
}

function keyOf({
  namespace,
  name,
}: {
  readonly namespace?: string | undefined;
  readonly name: string;
}): string {
  return `${namespace ?? ""}/${name}`;
}

function inOrder(objects: ReadonlyMap<string, StoredObject> | undefined): readonly StoredObject[] {
  return [...(objects ?? [])].sort(([a], [b]) => compareText(a, b)).map(([, object]) => object);
}
