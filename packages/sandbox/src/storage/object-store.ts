import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Clock } from "@plimsoll/kube";
import { createEventHistory, type StoreEvent } from "./event-history.ts";
import { valueAt } from "./json-value.ts";
import { StoreError } from "./store-error.ts";
import type { StoredMetadata, StoredObject } from "./stored-object.ts";

export type { StoreEvent } from "./event-history.ts";
export { StoreError } from "./store-error.ts";
export type { StoredObject } from "./stored-object.ts";

/**
 * Objects by resource ("pods", "deployments.apps"), namespace and name. Everything that goes in is copied,
 * everything that comes out is frozen. Writes throw StoreError.
 */
export interface ObjectStore {
  get(resource: string, namespace: string | undefined, name: string): StoredObject | undefined;
  /** Sorted by namespace, then name. */
  list(resource: string, namespace?: string): readonly StoredObject[];
  /** Sets uid, creationTimestamp, resourceVersion and generation (1). */
  create(resource: string, object: StoredObject): StoredObject;
  /**
   * Conflict when metadata.resourceVersion is set and differs. A write that changes nothing keeps the version.
   * A changed spec (any field but metadata and status) bumps metadata.generation. uid and creationTimestamp stay.
   * An object that is being deleted and has no finalizer and no grace period left goes away.
   */
  update(resource: string, object: StoredObject): StoredObject;
  /** Removes at once, without a look at finalizers. */
  delete(resource: string, namespace: string | undefined, name: string): StoredObject | undefined;
  subscribe(listener: (event: StoreEvent) => void): () => void;
}

/** What the API server needs beyond reading and writing. */
export interface VersionedStore extends ObjectStore {
  readonly version: number;
  eventsSince(resource: string, version: number): readonly StoreEvent[] | undefined;
  compact(upToVersion?: number): void;
}

export function createObjectStore(o: { clock: Clock; historyLimit?: number }): VersionedStore {
  const resources = new Map<string, Map<string, StoredObject>>();
  /** Whole resources in the order of a list, until the next write: a list of many pages sorts once. */
  const sorted = new Map<string, readonly StoredObject[]>();
  const history = createEventHistory(o.historyLimit ?? 5000);
  const listeners = new Set<(event: StoreEvent) => void>();
  const pending: StoreEvent[] = [];
  let publishing = false;
  let version = 1;

  const bucket = (resource: string): Map<string, StoredObject> => {
    let found = resources.get(resource);
    if (found === undefined) resources.set(resource, (found = new Map()));
    return found;
  };

  // A listener may write to the store; its events queue up, so that every listener sees the same order.
  const publish = (event: StoreEvent): void => {
    sorted.delete(event.resource);
    history.push(event);
    pending.push(event);
    if (publishing) return;
    publishing = true;
    const errors: unknown[] = [];
    for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
      for (const listener of Array.from(listeners)) {
        try {
          listener(next);
        } catch (error) {
          // One broken listener must not keep the event from the others.
          errors.push(error);
        }
      }
    }
    publishing = false;
    if (errors.length > 0) throw new AggregateError(errors, "a listener of the store failed");
  };

  const remove = (resource: string, current: StoredObject): StoredObject => {
    version += 1;
    const object = sealed(current, { resourceVersion: String(version) });
    bucket(resource).delete(keyOf(object));
    publish({ resource, type: "DELETED", object, previous: current, version });
    return object;
  };

  return {
    get version() {
      return version;
    },
    get: (resource, namespace, name) => resources.get(resource)?.get(`${namespace ?? ""}/${name}`),
    list(resource, namespace) {
      const all = sorted.get(resource) ?? inOrder(resources.get(resource));
      sorted.set(resource, all);
      return namespace === undefined ? all : all.filter((object) => object.metadata.namespace === namespace);
    },
    create(resource, object) {
      const objects = bucket(resource);
      const key = keyOf(object);
      if (objects.has(key)) throw new StoreError("AlreadyExists", resource, object.metadata.name);
      version += 1;
      const created = sealed(object, {
        uid: randomUUID(),
        creationTimestamp: timestamp(o.clock.nowMs()),
        resourceVersion: String(version),
        generation: 1,
      });
      objects.set(key, created);
      publish({ resource, type: "ADDED", object: created, version });
      return created;
    },
    update(resource, object) {
      const objects = bucket(resource);
      const key = keyOf(object);
      const current = objects.get(key);
      if (current === undefined) throw new StoreError("NotFound", resource, object.metadata.name);
      const expected = object.metadata.resourceVersion;
      if (expected !== undefined && expected !== "" && expected !== current.metadata.resourceVersion) {
        throw new StoreError("Conflict", resource, object.metadata.name);
      }
      const kept = keptMetadata(current.metadata);
      const candidate = sealed(object, kept);
      if (isDeepStrictEqual(candidate, current)) return current;
      if (isFinished(resource, candidate)) return remove(resource, candidate);
      version += 1;
      const generation = (kept.generation ?? 1) + (specChanged(current, candidate) ? 1 : 0);
      const updated = sealed(candidate, { resourceVersion: String(version), generation });
      objects.set(key, updated);
      publish({ resource, type: "MODIFIED", object: updated, previous: current, version });
      return updated;
    },
    delete(resource, namespace, name) {
      const current = resources.get(resource)?.get(`${namespace ?? ""}/${name}`);
      return current === undefined ? undefined : remove(resource, current);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    eventsSince: (resource, since) => history.since(resource, since),
    compact: (upToVersion = version) => history.compact(upToVersion),
  };
}

/** RFC 3339 with whole seconds, as metav1.Time is written. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function keyOf(object: StoredObject): string {
  return `${object.metadata.namespace ?? ""}/${object.metadata.name}`;
}

function keptMetadata(current: StoredMetadata): Partial<StoredMetadata> {
  return {
    ...(current.uid === undefined ? {} : { uid: current.uid }),
    ...(current.creationTimestamp === undefined ? {} : { creationTimestamp: current.creationTimestamp }),
    ...(current.resourceVersion === undefined ? {} : { resourceVersion: current.resourceVersion }),
    ...(current.generation === undefined ? {} : { generation: current.generation }),
  };
}

function isFinished(resource: string, { metadata, spec }: StoredObject): boolean {
  // A namespace has a second list of finalizers, for its content.
  const content = resource === "namespaces" ? valueAt(spec, "finalizers") : undefined;
  return (
    metadata.deletionTimestamp !== undefined &&
    (metadata.finalizers ?? []).length === 0 &&
    (!Array.isArray(content) || content.length === 0) &&
    (metadata.deletionGracePeriodSeconds ?? 0) === 0
  );
}

function specChanged(before: StoredObject, after: StoredObject): boolean {
  const { metadata: _oldMetadata, status: _oldStatus, ...oldSpec } = before;
  const { metadata: _newMetadata, status: _newStatus, ...newSpec } = after;
  return !isDeepStrictEqual(oldSpec, newSpec);
}

// The JSON round trip drops `undefined` fields, so that equality and the wire agree.
function sealed(object: StoredObject, metadata: Partial<StoredMetadata>): StoredObject {
  const copy = JSON.parse(
    JSON.stringify({ ...object, metadata: { ...object.metadata, ...metadata } }),
  ) as StoredObject;
  return deepFreeze(copy);
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const child of Object.values(value)) deepFreeze(child);
  return Object.freeze(value);
}

function inOrder(objects: ReadonlyMap<string, StoredObject> | undefined): readonly StoredObject[] {
  return [...(objects ?? [])].sort(([a], [b]) => compareText(a, b)).map(([, object]) => object);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
