// The objects of the fake API server, and who watches them.

import type { Place } from "./resources.ts";
import { failure, type Reply } from "./responses.ts";

// biome-ignore format: one line reads best
export interface FakeObject { apiVersion?: string; kind?: string; metadata: Record<string, unknown> & { name: string; namespace?: string }; spec?: unknown; status?: unknown; [field: string]: unknown }

/** Where the events of a watch go, whatever carries them. */
export interface Sink {
  write(text: string): void;
  destroy(): void;
}

export type FakeObjects = ReturnType<typeof createObjects>;

export function createObjects() {
  const objects = new Map<string, FakeObject>();
  const watchers = new Set<{ resource: string; namespace: string | undefined; sink: Sink }>();
  let version = 1000;
  let uid = 0;

  return {
    get version() {
      return version;
    },
    put,
    get,
    find,
    list,
    remove,
    watch,
    checkWatch,
    cutWatches,
    restore,
  };

  /** As a restore of etcd from a backup: versions go back, and clients have to list again. */
  function restore(toVersion: number): void {
    version = toVersion;
    for (const [key, object] of objects) {
      const metadata = { ...object.metadata, resourceVersion: String(version) };
      objects.set(key, { ...object, metadata });
    }
    cutWatches();
  }

  /** Creates or replaces an object, as another client would. */
  function put(resource: string, object: FakeObject): FakeObject {
    const key = keyOf(resource, object.metadata.namespace, object.metadata.name);
    const known = objects.get(key);
    version += 1;
    const stored: FakeObject = {
      ...object,
      metadata: {
        ...object.metadata,
        uid: known?.metadata["uid"] ?? `uid-${++uid}`,
        resourceVersion: String(version),
      },
    };
    objects.set(key, stored);
    notifyWatches(resource, known === undefined ? "ADDED" : "MODIFIED", stored);
    return stored;
  }

  function find(resource: string, namespace: string | undefined, name: string): FakeObject | undefined {
    return objects.get(keyOf(resource, namespace, name));
  }

  function get(resource: string, namespace: string, name: string): FakeObject {
    const found = find(resource, namespace, name);
    if (found === undefined) throw new Error(`no ${resource} ${namespace}/${name}`);
    return found;
  }

  function list(resource: string, namespace?: string): readonly FakeObject[] {
    return [...objects]
      .filter(([key]) => key.startsWith(`${resource}|${namespace === undefined ? "" : `${namespace}|`}`))
      .map(([, object]) => object);
  }

  function remove(resource: string, namespace: string, name: string): void {
    const key = keyOf(resource, namespace, name);
    const known = objects.get(key);
    if (known === undefined) return;
    objects.delete(key);
    version += 1;
    notifyWatches(resource, "DELETED", {
      ...known,
      metadata: { ...known.metadata, resourceVersion: String(version) },
    });
  }

  function cutWatches(): void {
    for (const { sink } of watchers) sink.destroy();
    watchers.clear();
  }

  function notifyWatches(resource: string, type: string, object: FakeObject): void {
    for (const watcher of watchers) {
      if (watcher.resource !== resource) continue;
      if (watcher.namespace !== undefined && watcher.namespace !== object.metadata.namespace) continue;
      watcher.sink.write(`${JSON.stringify({ type, object })}\n`);
    }
  }

  /** Why there is no watch from this version. */
  function checkWatch(since: number): Reply | undefined {
    return since > version ? failure(410, "Expired", "too old resource version") : undefined;
  }

  /** Sends what is newer than `since`, and what comes; returns what ends it. */
  function watch({ resource, namespace }: Place, since: number, sink: Sink): () => void {
    const watcher = { resource, namespace, sink };
    watchers.add(watcher);
    for (const object of list(resource, namespace)) {
      if (Number(object.metadata["resourceVersion"]) > since) {
        sink.write(`${JSON.stringify({ type: "ADDED", object })}\n`);
      }
    }
    return () => watchers.delete(watcher);
  }
}

function keyOf(resource: string, namespace: string | undefined, name: string): string {
  return `${resource}|${namespace ?? ""}|${name}`;
}
