import {
  type Change,
  type Clock,
  createReflector,
  type KubeClient,
  type KubeObject,
  resourcePath,
} from "@plimsoll/kube";

/** A resource as it is in all the watched namespaces, kept up to date. */
export interface Watch<T extends KubeObject> {
  readonly isSynced: boolean;
  get(namespace: string, name: string): T | undefined;
  list(namespace?: string): readonly T[];
  start(): void;
  stop(): Promise<void>;
  synced(): Promise<void>;
  subscribe(listener: (change: Change<T>) => void): void;
}

export interface WatchOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: (() => number) | undefined;
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  /** Empty: one watch over all of them. */
  readonly namespaces: readonly string[];
  readonly onError: (error: unknown) => void;
}

export function createWatch<T extends KubeObject>(
  o: WatchOptions & { readonly project: (raw: KubeObject) => T },
): Watch<T> {
  const spaces: readonly (string | undefined)[] = o.namespaces.length === 0 ? [undefined] : o.namespaces;
  const reflectors = spaces.map((namespace) =>
    createReflector<T>({
      client: o.client,
      path: resourcePath(o.resource, namespace),
      project: o.project,
      clock: o.clock,
      onError: o.onError,
      ...(o.random === undefined ? {} : { random: o.random }),
    }),
  );
  return {
    get isSynced() {
      return reflectors.every((reflector) => reflector.isSynced);
    },
    get(namespace, name) {
      for (const reflector of reflectors) {
        const found = reflector.store.get(namespace, name);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    list: (namespace) => reflectors.flatMap((reflector) => [...reflector.store.list(namespace)]),
    start() {
      for (const reflector of reflectors) reflector.start();
    },
    async stop() {
      await Promise.all(reflectors.map((reflector) => reflector.stop()));
    },
    async synced() {
      await Promise.all(reflectors.map((reflector) => reflector.synced()));
    },
    subscribe(listener) {
      for (const reflector of reflectors) reflector.subscribe(listener);
    },
  };
}
