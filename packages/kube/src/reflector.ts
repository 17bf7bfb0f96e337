import type { KubeClient } from "./client.ts";
import type { Clock } from "./clock.ts";
import type { KubeObject } from "./object.ts";
import type { Store } from "./store.ts";

export interface Change<T> {
  readonly type: "added" | "modified" | "deleted";
  readonly object: T;
  /** What the store held before; for a deletion, what was last known. */
  readonly previous?: T;
}

/** Keeps a store equal to what the API server holds of one resource, until it is stopped. */
export interface Reflector<T> {
  readonly store: Store<T>;
  /** Whether the store has been filled once. */
  readonly isSynced: boolean;
  /** Begins; a second call does nothing. */
  start(): void;
  /** Ends for good; no change is told once this has resolved. */
  stop(): Promise<void>;
  /** Resolves when the store has been filled once; rejects when `signal` aborts or the reflector is stopped before. */
  synced(signal?: AbortSignal): Promise<void>;
  /** Tells of changes from now on, after the store has taken them. Returns what ends it. */
  subscribe(listener: (change: Change<T>) => void): () => void;
}

export interface ReflectorOptions<T extends KubeObject> {
  readonly client: KubeClient;
  /** The collection, such as "/api/v1/pods". */
  readonly path: string;
  readonly query?: { readonly labelSelector?: string; readonly fieldSelector?: string };
  /** Trims an object on arrival; must keep metadata.name, .namespace, .labels and .resourceVersion. */
  readonly project?: (raw: KubeObject) => T;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly onError?: (error: unknown) => void;
}

export function createReflector<T extends KubeObject>(o: ReflectorOptions<T>): Reflector<T> {
  throw new Error(`not yet: ${o.path}`);
}
