// Watches a resource in all namespaces, or in those of --namespace.
import type { Clock } from "@plimsoll/component-base";
import {
  ApiError,
  type Change,
  createReflector,
  isNotFound,
  type KubeClient,
  type KubeObject,
  type LeftOut,
  type ProtobufKind,
  type Reflector,
  type ReportLeftOut,
  resourcePath,
} from "@plimsoll/kube";

/** A resource as it is in all the watched namespaces, kept up to date. */
export interface Watch<T extends KubeObject> {
  readonly isSynced: boolean;
  /** Whether the objects of one namespace have been listed. */
  isSyncedIn(namespace: string): boolean;
  /** Objects that are too large, or cannot be read: all, or those of a namespace. */
  leftOut(namespace?: string): readonly LeftOut[];
  /** See `settled`. */
  readonly isSettled: boolean;
  /** When the server last sent something about the resource, the earliest of all namespaces; see Reflector. */
  readonly lastContactMs: number | undefined;
  /** The last error while it is not synced. */
  readonly failure: unknown;
  get(namespace: string, name: string): T | undefined;
  list(namespace?: string): readonly T[];
  start(): void;
  stop(): Promise<void>;
  synced(): Promise<void>;
  /** Resolves when every namespace was listed, or its list failed with 403 or 404. */
  settled(): Promise<void>;
  subscribe(listener: (change: Change<T>) => void): void;
}

export interface WatchOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: (() => number) | undefined;
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  /** Empty: one watch over all of them. */
  readonly namespaces: readonly string[];
  /** See `ReflectorOptions`. */
  readonly protobuf?: ProtobufKind | undefined;
  readonly onError: (error: unknown) => void;
  readonly onLeftOut?: ReportLeftOut | undefined;
  /** See `ReflectorLimits`. */
  readonly maxObjectBytes?: number | undefined;
}

export function createWatch<T extends KubeObject>(options: WatchedResource<T>): Watch<T> {
  const { namespaces } = options;
  const spaces: readonly (string | undefined)[] = namespaces.length === 0 ? [undefined] : namespaces;
  const failures = new Map<number, unknown>();
  const settled = createSignal();
  const reflectors = spaces.map((namespace, index) =>
    reflect(options, namespace, (error) => {
      failures.set(index, error);
      check();
    }),
  );
  const check = (): void => {
    if (reflectors.every(({ isSynced }, index) => isSynced || isRefused(failures.get(index)))) settled.set();
  };
  return {
    ...joined(reflectors),
    get isSynced() {
      return reflectors.every((reflector) => reflector.isSynced);
    },
    isSyncedIn(namespace) {
      const index = namespaces.length === 0 ? 0 : namespaces.indexOf(namespace);
      return reflectors[index]?.isSynced === true;
    },
    get isSettled() {
      return settled.isSet;
    },
    get lastContactMs() {
      return earliest(reflectors.map(({ lastContactMs }) => lastContactMs));
    },
    get failure() {
      return failures.get(reflectors.findIndex(({ isSynced }) => !isSynced));
    },
    start() {
      for (const reflector of reflectors) {
        reflector.start();
        reflector.synced().then(check, () => undefined);
      }
    },
    async stop() {
      settled.set();
      await Promise.all(reflectors.map((reflector) => reflector.stop()));
    },
    settled: () => settled.promise,
  };
}

type WatchedResource<T> = WatchOptions & { readonly project: (raw: KubeObject) => T };

function reflect<T extends KubeObject>(
  { client, clock, random, resource, project, protobuf, ...options }: WatchedResource<T>,
  namespace: string | undefined,
  onFailed: (error: unknown) => void,
): Reflector<T> {
  const { group, resource: plural } = resource;
  const groupResource = group === "" ? plural : `${plural}.${group}`;
  const { maxObjectBytes } = options;
  return createReflector<T>({
    client,
    path: resourcePath(resource, namespace),
    project,
    protobuf,
    clock,
    onError(error) {
      onFailed(error);
      options.onError(error);
    },
    onLeftOut: (one) => options.onLeftOut?.(groupResource, one),
    ...(maxObjectBytes === undefined ? {} : { limits: { maxObjectBytes } }),
    ...(random === undefined ? {} : { random }),
  });
}

function earliest(contacts: readonly (number | undefined)[]): number | undefined {
  let earliestMs = Number.POSITIVE_INFINITY;
  for (const contactMs of contacts) {
    if (contactMs === undefined) return undefined;
    earliestMs = Math.min(earliestMs, contactMs);
  }
  return earliestMs;
}

/** The objects of all namespaces. */
function joined<T extends KubeObject>(
  reflectors: readonly Reflector<T>[],
): Pick<Watch<T>, "get" | "list" | "leftOut" | "synced" | "subscribe"> {
  return {
    get(namespace, name) {
      for (const reflector of reflectors) {
        const found = reflector.store.get(namespace, name);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    list: (namespace) => reflectors.flatMap((reflector) => [...reflector.store.list(namespace)]),
    leftOut: (namespace) =>
      reflectors.flatMap(({ leftOut, leftOutIn }) =>
        namespace === undefined ? leftOut : leftOutIn(namespace),
      ),
    async synced() {
      await Promise.all(reflectors.map((reflector) => reflector.synced()));
    },
    subscribe(listener) {
      for (const reflector of reflectors) reflector.subscribe(listener);
    },
  };
}

/** A promise that is resolved from outside, once. */
function createSignal(): { readonly isSet: boolean; readonly promise: Promise<void>; set(): void } {
  let isSet = false;
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return {
    get isSet() {
      return isSet;
    },
    promise,
    set() {
      isSet = true;
      resolve();
    },
  };
}

/** A retry gives the same until the cluster is changed. */
function isRefused(error: unknown): boolean {
  return isForbidden(error) || isNotFound(error);
}

export function isForbidden(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 401 || error.code === 403);
}
