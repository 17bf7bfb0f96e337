import type { KubeClient } from "./client.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { KubeObject } from "./object.ts";
import type { Change } from "./reflect/change.ts";
import { createFanOut } from "./reflect/fan-out.ts";
import { createGate } from "./reflect/gate.ts";
import { keepInStep } from "./reflect/keep-in-step.ts";
import { createStore, type Store } from "./store.ts";

/** Keeps a store equal to what the API server holds of one resource, until it is stopped. */
export interface Reflector<T> {
  readonly store: Store<T>;
  /** Whether the store has been filled once. */
  readonly isSynced: boolean;
  /** Begins; a second call does nothing. */
  start(): void;
  /** Ends for good; no change is told once this has been called. */
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
  /**
   * Trims an object on arrival; must keep metadata.name, .namespace, .labels, .uid and .resourceVersion. An object on
   * which it throws is left as it was, and the error told.
   */
  readonly project?: (raw: KubeObject) => T;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** Told of every failure; the reflector itself goes on. */
  readonly onError?: (error: unknown) => void;
  /** Objects in one page of a list; 500 by default. */
  readonly pageSize?: number;
  /** A watch on which no byte came for so long is taken for dead; 90 s by default (servers send one a minute). */
  readonly silenceLimitMs?: number;
  /** How long one watch lasts at least (at most twice that); 300 s by default. */
  readonly watchMs?: number;
}

export function createReflector<T extends KubeObject>(o: ReflectorOptions<T>): Reflector<T> {
  const store = createStore<T>();
  const ending = new AbortController();
  const onError = (error: unknown) => {
    try {
      o.onError?.(error);
    } catch {
      // A listener that fails to report a failure must not end the watch.
    }
  };
  const fanOut = createFanOut<Change<T>>(onError, ending.signal);
  const firstFill = createGate();
  let isSynced = false;
  let running: Promise<void> | undefined;

  function start(): void {
    if (running !== undefined || ending.signal.aborted) return;
    running = keepInStep<T>({
      client: o.client,
      path: o.path,
      query: { ...o.query },
      // Without a projection T is what the server sends.
      project: o.project ?? ((raw) => raw as T),
      store,
      clock: o.clock ?? systemClock,
      random: o.random ?? (() => Math.random()),
      signal: ending.signal,
      pageSize: o.pageSize ?? 500,
      silenceLimitMs: o.silenceLimitMs ?? 90_000,
      watchMs: o.watchMs ?? 300_000,
      onError,
      onChange: fanOut.tell,
      onListed() {
        if (ending.signal.aborted) return;
        isSynced = true;
        firstFill.open();
      },
    });
  }

  return {
    store,
    get isSynced() {
      return isSynced;
    },
    start,
    async stop() {
      ending.abort();
      firstFill.bar(new Error(`the reflector of ${o.path} was stopped before its first list`));
      await running;
    },
    synced: (signal) => firstFill.passed(signal),
    subscribe: fanOut.subscribe,
  };
}
