import { getHeapStatistics } from "node:v8";
import { type Clock, systemClock } from "@plimsoll/component-base";
import type { KubeClient } from "../client/client.ts";
import type { KubeObject } from "../objects/object.ts";
import { safely } from "../safely.ts";
import type { Change } from "./change.ts";
import { createFirstSync } from "./first-sync.ts";
import { createKeeper, type Keeper, type ObjectLimits } from "./keeper.ts";
import type { LeftOut } from "./left-out.ts";
import { listAndWatch } from "./list-and-watch.ts";
import { createPageSize, defaultPageBytes } from "./page-size.ts";
import type { ProtobufKind } from "./protobuf-kind.ts";
import { createStore, type Store, type WritableStore } from "./store.ts";

/** Keeps a store equal to what the API server holds of one resource, until it is stopped. */
export interface Reflector<T> {
  readonly store: Store<T>;
  /** Whether the store has been filled once. */
  readonly isSynced: boolean;
  /**
   * When the server last sent something about this resource, by the wall clock: a list, an event, a bookmark, or a watch that
   * was accepted. Undefined before the first list. A watch of a quiet resource sends a bookmark about once a minute. An instant
   * that lies ahead comes from a clock that was set back since.
   */
  readonly lastContactMs: number | undefined;
  /** The objects that are not in the store although the server has them; at most 10,000 of them. */
  readonly leftOut: readonly LeftOut[];
  /** Those of one namespace. */
  leftOutIn(namespace: string): readonly LeftOut[];
  /** Begins; a second call does nothing. */
  start(): void;
  /** Ends for good; no change is reported once this has been called. */
  stop(): Promise<void>;
  /** Resolves when the store has been filled once; rejects when `signal` aborts or the reflector is stopped before. */
  synced(signal?: AbortSignal): Promise<void>;
  /**
   * The same for a caller who has little time: rejects at once, with the server's error, while the list is refused (401, 403,
   * 404) or has failed twice in a row. The reflector goes on.
   */
  listed(signal?: AbortSignal): Promise<void>;
  /** Reports changes from now on, after the store has taken them. Returns what ends it. */
  subscribe(listener: (change: Change<T>) => void): () => void;
}

/** What is reflected, and with which limits. */
export interface ReflectorOptions<T extends KubeObject> {
  readonly client: KubeClient;
  /** The collection, such as "/api/v1/pods". */
  readonly path: string;
  readonly query?: { readonly labelSelector?: string; readonly fieldSelector?: string };
  /**
   * Trims an object on arrival; must keep metadata.name, .namespace, .labels, .uid and .resourceVersion. An object on
   * which it throws is left out.
   */
  readonly project?: (raw: KubeObject) => T;
  /**
   * Reads the resource from protobuf where the server sends it, which takes a fraction of the time. `project` gets the fields that
   * it reads, and those without a value as undefined.
   */
  readonly protobuf?: ProtobufKind | undefined;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** Called with each failure; the reflector itself goes on. */
  readonly onError?: (error: unknown) => void;
  /**
   * Called with each object that is left out, because it is too large or cannot be read: it is not in the store, and all others are.
   * Once for each reason, until it is in the store again; it gets there with a version that fits. Without this function `onError` is
   * called.
   */
  readonly onLeftOut?: (one: LeftOut) => void;
  /** See `ReflectorLimits`. */
  readonly limits?: Partial<ReflectorLimits>;
  /** Objects in one page of a list; 500 by default. */
  readonly pageSize?: number;
  /** After this time without a byte a watch counts as lost; 90 s by default (servers send one a minute). */
  readonly silenceLimitMs?: number;
  /** How long one watch lasts at least (at most twice that); 300 s by default. */
  readonly watchMs?: number;
}

/** See `silenceLimitMs`. */
export const defaultSilenceLimitMs = 90_000;

/**
 * What a reflector reads and keeps: 4 MiB for an object on the wire, 1 MiB in memory, 32 MiB for a namespace, and a part of the
 * heap for all by default: 45 % for pods, 15 % for each other resource.
 */
export interface ReflectorLimits extends ObjectLimits {
  /** A page of a list with more bytes is read again in smaller ones, down to one object; 16 MiB by default. */
  readonly maxPageBytes: number;
}

/**
 * Objects in etcd have less than 2 MiB, in JSON sometimes more. An ordinary pod counts as 1.6 KiB, an ordinary HPA as 6 KiB: 32 MiB are
 * 20,000 pods of one namespace, or 5,000 HPAs. Of the 560 MiB of heap that Node takes in a container of 1 GiB, 252 MiB are 160,000 pods,
 * and 84 MiB are 14,000 HPAs.
 */
const defaultLimits: Omit<ReflectorLimits, "maxTotalBytes"> = {
  maxItemBytes: 4 * 1024 * 1024,
  maxObjectBytes: 1024 * 1024,
  maxNamespaceBytes: 32 * 1024 * 1024,
  maxPageBytes: defaultPageBytes,
};

export function createReflector<T extends KubeObject>(options: ReflectorOptions<T>): Reflector<T> {
  const { client, path, clock = systemClock } = options;
  const store = createStore<T>();
  const ending = new AbortController();
  const onError = (error: unknown) => safely(() => options.onError?.(error));
  const limits = { ...limitsOf(path), ...options.limits };
  const keeper = openKeeper(options, { store, limits, onError });
  const fanOut = createFanOut<Change<T>>(onError, ending.signal);
  const firstSync = createFirstSync();
  let lastContactMs: number | undefined;
  let running: Promise<void> | undefined;
  const shared = { client, path, clock, store, keeper, signal: ending.signal, onError };

  function start(): void {
    if (running !== undefined || ending.signal.aborted) return;
    running = listAndWatch<T>({
      ...shared,
      query: { ...options.query },
      protobuf: options.protobuf,
      random: options.random ?? (() => Math.random()),
      pages: createPageSize(options.pageSize ?? 500, limits.maxPageBytes),
      silenceLimitMs: options.silenceLimitMs ?? defaultSilenceLimitMs,
      watchMs: options.watchMs ?? 300_000,
      maxItemBytes: limits.maxItemBytes,
      onChange: fanOut.publish,
      onContact() {
        lastContactMs = clock.nowMs();
      },
      onListFailed: firstSync.listFailed,
      onListed() {
        if (ending.signal.aborted) return;
        firstSync.done();
      },
    });
  }

  return {
    store,
    get isSynced() {
      return firstSync.isDone;
    },
    get lastContactMs() {
      return lastContactMs;
    },
    get leftOut() {
      return keeper.leftOut;
    },
    leftOutIn: keeper.leftOutIn,
    start,
    async stop() {
      ending.abort();
      firstSync.fail(new Error(`the reflector of ${path} was stopped before its first list`));
      await running;
    },
    synced: firstSync.waitForSync,
    listed: firstSync.waitForList,
    subscribe: fanOut.subscribe,
  };
}

function limitsOf(path: string): ReflectorLimits {
  const maxTotalBytes = getHeapStatistics().heap_size_limit * (path.endsWith("/pods") ? 0.45 : 0.15);
  // In a small heap one namespace leaves room for others, and for what evaluations make of its objects.
  const maxNamespaceBytes = Math.min(defaultLimits.maxNamespaceBytes, maxTotalBytes / 3);
  return { ...defaultLimits, maxNamespaceBytes, maxTotalBytes };
}

function openKeeper<T extends KubeObject>(
  { path, project, onLeftOut }: ReflectorOptions<T>,
  {
    store,
    limits,
    onError,
  }: {
    readonly store: WritableStore<T>;
    readonly limits: ObjectLimits;
    readonly onError: (error: unknown) => void;
  },
): Keeper<T> {
  return createKeeper<T>({
    ...limits,
    store,
    // Without a projection T is what the server sends.
    project: project ?? ((raw) => raw as T),
    onLeftOut(one) {
      const { namespace = "", name = "?", message } = one;
      if (onLeftOut !== undefined) safely(() => onLeftOut(one));
      else onError(new Error(`${path}: ${namespace}/${name} is left out: ${message}`));
    },
  });
}

/** Calls listeners in turn; one that throws, or rejects, disturbs neither the rest nor the caller. */
function createFanOut<E>(
  onError: (error: unknown) => void,
  ended: AbortSignal,
): { publish(event: E): void; subscribe(listener: (event: E) => void): () => void } {
  const listeners = new Set<{ readonly listen: (event: E) => unknown }>();
  return {
    publish(event) {
      for (const { listen } of listeners) {
        if (ended.aborted) return;
        try {
          const result = listen(event);
          if (result instanceof Promise) result.catch(onError);
        } catch (error) {
          onError(error);
        }
      }
    },
    subscribe(listener) {
      const entry = { listen: listener };
      listeners.add(entry);
      return () => listeners.delete(entry);
    },
  };
}
