// The store of all objects of the sandbox.
import { randomUUID } from "node:crypto";
import type { Clock } from "@plimsoll/component-base";
import { type Buckets, createBuckets } from "./buckets.ts";
import { createEventHistory, type StoreEvent } from "./event-history.ts";
import { valueAt } from "./json-value.ts";
import { createPublisher } from "./publisher.ts";
import { seal } from "./seal.ts";
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
  /** Those that have objects, or had. */
  resources(): readonly string[];
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
  /**
   * Undoes the last changes, given newest first, without an event, as a restored backup does: the version goes back, and
   * nothing is known of what was before it.
   */
  rewind(changes: readonly StoreEvent[]): void;
}

export interface StoreOptions {
  readonly clock: Clock;
  /** How many changes a watch can resume across. */
  readonly historyLimit?: number;
  /** The uid of a new object; random by default. */
  readonly newId?: (resource: string, object: StoredObject) => string;
  /** Called within each change, in their order, before those who subscribed. */
  readonly onChange?: (change: StoreEvent) => void;
}

export function createObjectStore(options: StoreOptions): VersionedStore {
  const buckets = createBuckets();
  const history = createEventHistory(options.historyLimit ?? 5000);
  const publisher = createPublisher();
  let version = 1;

  const writes = createWrites(options, buckets, {
    next: () => (version += 1),
    publish(event) {
      history.push(event);
      options.onChange?.(event);
      publisher.publish(event);
    },
  });

  return {
    get version() {
      return version;
    },
    get: buckets.get,
    resources: buckets.resources,
    list: buckets.list,
    ...writes,
    subscribe: publisher.subscribe,
    eventsSince: (resource, since) => history.since(resource, since),
    compact: (upToVersion = version) => history.compact(upToVersion),
    rewind(changes) {
      for (const { resource, object, previous, version: changed } of changes) {
        if (previous === undefined) buckets.delete(resource, object);
        else buckets.set(resource, previous);
        version = changed - 1;
      }
      history.restart(version);
    },
  };
}

function createWrites(
  { clock, newId = () => randomUUID() }: StoreOptions,
  buckets: Buckets,
  { next, publish }: { readonly next: () => number; readonly publish: (event: StoreEvent) => void },
): Pick<ObjectStore, "create" | "update" | "delete"> {
  const remove = (resource: string, last: StoredObject, previous: StoredObject): StoredObject => {
    const version = next();
    const object = sealed(last, { resourceVersion: String(version) }, last);
    buckets.delete(resource, object);
    publish({ resource, type: "DELETED", object, previous, version });
    return object;
  };
  return {
    create(resource, object) {
      const { namespace, name } = object.metadata;
      if (buckets.get(resource, namespace, name) !== undefined)
        throw new StoreError("AlreadyExists", resource, name);
      const version = next();
      const created = sealed(object, {
        uid: newId(resource, object),
        creationTimestamp: timestamp(clock.nowMs()),
        resourceVersion: String(version),
        generation: 1,
      });
      buckets.set(resource, created);
      publish({ resource, type: "ADDED", object: created, version });
      return created;
    },
    update(resource, object) {
      const { namespace, name, resourceVersion = "" } = object.metadata;
      const current = buckets.get(resource, namespace, name);
      if (current === undefined) throw new StoreError("NotFound", resource, name);
      if (resourceVersion !== "" && resourceVersion !== current.metadata.resourceVersion)
        throw new StoreError("Conflict", resource, name);
      const candidate = sealed(object, keptMetadata(current.metadata), current);
      if (candidate === current) return current;
      if (isFinished(resource, candidate)) return remove(resource, candidate, current);
      const version = next();
      const updated = withVersion(candidate, current, version);
      buckets.set(resource, updated);
      publish({ resource, type: "MODIFIED", object: updated, previous: current, version });
      return updated;
    },
    delete(resource, namespace, name) {
      const current = buckets.get(resource, namespace, name);
      return current === undefined ? undefined : remove(resource, current, current);
    },
  };
}

/** RFC 3339 with whole seconds, as metav1.Time is written. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** The generation counts changes of the spec. */
function withVersion(candidate: StoredObject, current: StoredObject, version: number): StoredObject {
  const generation = (current.metadata.generation ?? 1) + (specChanged(current, candidate) ? 1 : 0);
  return sealed(candidate, { resourceVersion: String(version), generation }, candidate);
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

// What is equal is identical, because `after` was sealed with `before`.
function specChanged(before: StoredObject, after: StoredObject): boolean {
  const isSpec = (key: string) => key !== "metadata" && key !== "status";
  const keys = Object.keys(after).filter(isSpec);
  return (
    keys.length !== Object.keys(before).filter(isSpec).length ||
    keys.some((key) => after[key] !== before[key])
  );
}

function sealed(
  object: StoredObject,
  metadata: Partial<StoredMetadata>,
  before?: StoredObject,
): StoredObject {
  return seal({ ...object, metadata: { ...object.metadata, ...metadata } }, before);
}
