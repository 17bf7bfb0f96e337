import { type Clock, systemClock } from "@plimsoll/component-base";
import type { KubeClient } from "../client/client.ts";
import type { KubeObject } from "../objects/object.ts";
import { safely } from "../safely.ts";
import type { Change } from "./change.ts";
import { createFanOut } from "./fan-out.ts";
import { createFirstSync } from "./first-sync.ts";
import { listAndWatch } from "./list-and-watch.ts";
import type { ProtobufKind } from "./protobuf-kind.ts";
import { createStore, type Store } from "./store.ts";

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
  /** Begins; a second call does nothing. */
  start(): void;
  /** Ends for good; no change is reported once this has been called. */
  stop(): Promise<void>;
  /** Resolves when the store has been filled once; rejects when `signal` aborts or the reflector is stopped before. */
  synced(signal?: AbortSignal): Promise<void>;
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
   * which it throws is left as it was, and the error reported.
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
  /** Objects in one page of a list; 500 by default. */
  readonly pageSize?: number;
  /**
   * A watch on which no byte came for so long counts as lost; 90 s by default (servers send one a minute).
   */
  readonly silenceLimitMs?: number;
  /** How long one watch lasts at least (at most twice that); 300 s by default. */
  readonly watchMs?: number;
}

/** See `silenceLimitMs`. */
export const defaultSilenceLimitMs = 90_000;

export function createReflector<T extends KubeObject>(options: ReflectorOptions<T>): Reflector<T> {
  const { client, path, clock = systemClock } = options;
  const { pageSize = 500, silenceLimitMs = defaultSilenceLimitMs, watchMs = 300_000 } = options;
  const store = createStore<T>();
  const ending = new AbortController();
  const onError = (error: unknown) => safely(() => options.onError?.(error));
  const fanOut = createFanOut<Change<T>>(onError, ending.signal);
  const firstSync = createFirstSync();
  let isSynced = false;
  let lastContactMs: number | undefined;
  let running: Promise<void> | undefined;

  function start(): void {
    if (running !== undefined || ending.signal.aborted) return;
    running = listAndWatch<T>({
      client,
      path,
      query: { ...options.query },
      // Without a projection T is what the server sends.
      project: options.project ?? ((raw) => raw as T),
      protobuf: options.protobuf,
      random: options.random ?? (() => Math.random()),
      pageSize,
      silenceLimitMs,
      watchMs,
      clock,
      store,
      signal: ending.signal,
      onError,
      onChange: fanOut.publish,
      onContact() {
        lastContactMs = clock.nowMs();
      },
      onListed() {
        if (ending.signal.aborted) return;
        isSynced = true;
        firstSync.done();
      },
    });
  }

  return {
    store,
    get isSynced() {
      return isSynced;
    },
    get lastContactMs() {
      return lastContactMs;
    },
    start,
    async stop() {
      ending.abort();
      firstSync.fail(new Error(`the reflector of ${path} was stopped before its first list`));
      await running;
    },
    synced: (signal) => firstSync.waitForSync(signal),
    subscribe: fanOut.subscribe,
  };
}
