// Reads objects of any resource from reflectors that start when a resource is first requested.
import {
  type Awaitable,
  type CacheMeter,
  type Clock,
  chain,
  type EntryMeter,
  type KeyedEntries,
  type Logger,
  messageOf,
  orAborted,
} from "@plimsoll/component-base";
import type { Selector } from "@plimsoll/core/selector";
import { isNotFound, type Reflector, resourcePath } from "@plimsoll/kube";
import {
  type ClusterResource,
  type CompiledRules,
  groupResourceOf,
  type ResourceMapper,
} from "@plimsoll/rules";
import type { Outcome } from "../backends/prometheus/providers/outcome.ts";
import type { Caller } from "../backends/prometheus/query/execute.ts";
import type { ObservedObject } from "./observed-object.ts";
import { createSelections, type Selection, type Selections } from "./selections.ts";

/** Objects of the cluster, out of reflectors that are made when a resource is first needed. */
export type Objects = ReturnType<typeof createObjects>;

interface ObjectsQuery {
  readonly info: ClusterResource;
  readonly namespace: string | undefined;
  readonly caller: Caller;
}

export interface SelectQuery extends ObjectsQuery {
  readonly selector: Selector;
}

export interface GetQuery extends ObjectsQuery {
  readonly name: string;
}

export interface ObjectsOptions {
  /** Without a namespace in all of them. */
  readonly reflect: (
    info: ClusterResource,
    onError: (error: unknown) => void,
    namespace?: string,
  ) => Reflector<ObservedObject>;
  /** Where the resource is served now; undefined when it is not. Called when it is not where it was. */
  readonly lookUp: (groupResource: string) => Promise<ClusterResource | undefined>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly meter?: CacheMeter | undefined;
  /** Reports what is kept by object. */
  readonly entryMeter?: EntryMeter | undefined;
  /** How long a request waits for a reflector's first list. */
  readonly syncTimeoutMs?: number;
}

interface Watched {
  readonly path: string;
  /** What was known under an older version, until this one has been listed. */
  former: Watched | undefined;
  /** Under way: it is looked up where the resource is served now. */
  move: Promise<void> | undefined;
  readonly reflector: Reflector<ObservedObject>;
  readonly selections: Selections;
  lastError: unknown;
}

interface State extends ObjectsOptions {
  readonly watched: Map<string, Watched>;
}

export function createObjects(options: ObjectsOptions) {
  const watched = new Map<string, Watched>();
  const state = { ...options, watched };
  return {
    /** Starts watching a resource before it is needed. */
    watch: (info: ClusterResource) => void watch(state, info),
    isWatched: (info: ClusterResource): boolean => watched.has(groupResourceOf(info)),
    /** Synchronous when the resource has been listed. */
    select: (query: SelectQuery): Awaitable<Outcome<Selection>> =>
      chain(synced(state, query), (entry) =>
        entry.ok
          ? { ok: true, value: entry.value.selections.select(query.namespace, query.selector) }
          : entry,
      ),
    get: (query: GetQuery): Awaitable<Outcome<ObservedObject | undefined>> =>
      chain(synced(state, query), (entry) =>
        entry.ok ? { ok: true, value: entry.value.reflector.store.get(query.namespace, query.name) } : entry,
      ),
    async stop(): Promise<void> {
      const all = [...watched.values()];
      watched.clear();
      await Promise.all(all.map(({ reflector }) => reflector.stop()));
    },
  };
}

function watch(state: State, info: ClusterResource): Watched {
  return state.watched.get(groupResourceOf(info)) ?? begin(state, info, undefined);
}

function begin(state: State, info: ClusterResource, former: Watched | undefined): Watched {
  const resource = groupResourceOf(info);
  const reflector = state.reflect(info, (error) => {
    entry.lastError = error;
    state.log.warn({ resource, err: error }, "watching a resource failed");
    if (isNotFound(error)) entry.move ??= followMove(state, resource, entry);
  });
  const selections = createSelections(reflector, state.meter);
  state.entryMeter?.add(`selections/${resource}`, selections.entries);
  state.entryMeter?.add(`objects/${resource}`, storedIn(reflector));
  const entry: Watched = {
    path: resourcePath(info),
    former,
    move: undefined,
    reflector,
    selections,
    lastError: undefined,
  };
  state.watched.set(resource, entry);
  entry.reflector.start();
  return entry;
}

/** By "NAMESPACE/NAME". */
function storedIn({ store }: Reflector<ObservedObject>): KeyedEntries {
  return {
    get size() {
      return store.size;
    },
    keys: () => store.list().map(({ metadata: { namespace = "", name } }) => `${namespace}/${name}`),
  };
}

/** A resource that is gone from its path may be served in another version. */
async function followMove(state: State, resource: string, entry: Watched): Promise<void> {
  try {
    const info = await state.lookUp(resource);
    const isCurrent = state.watched.get(resource) === entry;
    if (info === undefined || !isCurrent || resourcePath(info) === entry.path) return;
    state.log.info(
      { resource, from: entry.path, to: resourcePath(info) },
      "a resource is served at another path",
    );
    begin(state, info, entry.reflector.isSynced ? entry : entry.former);
    await entry.reflector.stop();
  } catch {
    // The mapper logs why; the next failure looks it up once more.
  } finally {
    entry.move = undefined;
  }
}

function synced(state: State, query: ObjectsQuery): Awaitable<Outcome<Watched>> {
  const entry = watch(state, query.info);
  if (entry.reflector.isSynced) {
    entry.former = undefined;
    return { ok: true, value: entry };
  }
  if (entry.former !== undefined) return { ok: true, value: entry.former };
  return waitForSync(state, entry, query);
}

async function waitForSync(state: State, entry: Watched, query: ObjectsQuery): Promise<Outcome<Watched>> {
  const signal = query.caller.signal();
  const waiting = new AbortController();
  const cancel = state.clock.after(state.syncTimeoutMs ?? 5_000, () => waiting.abort());
  const resource = groupResourceOf(query.info);
  try {
    await orAborted(signal, orMoved(entry, waiting.signal));
    return { ok: true, value: entry };
  } catch (error) {
    if (signal.aborted)
      return { ok: false, failure: { code: "Timeout", message: "the request ended early" } };
    const next = state.watched.get(resource);
    if (next !== undefined && next !== entry) return await synced(state, query);
    const known = waiting.signal.aborted ? entry.lastError : error;
    const cause = known === undefined ? "" : `: ${messageOf(known)}`;
    const message = `cannot list ${resource} yet${cause}`;
    return { ok: false, failure: { code: "Unavailable", message, retryAfterSeconds: 1 } };
  } finally {
    cancel();
    // What it still waits for forgets it.
    waiting.abort();
  }
}

/** Rejects with the failure of the list, once it is known whether the resource is served at another path. */
async function orMoved(entry: Watched, signal: AbortSignal): Promise<void> {
  try {
    await entry.reflector.listed(signal);
  } catch (error) {
    if (entry.move !== undefined) await orAborted(signal, entry.move);
    throw error;
  }
}

/** They have no objects, and at the first start their server is this process, which is not ready yet. */
const metricsGroups = /^discovery of (?:custom\.|external\.)?metrics\.k8s\.io\//;

export function reportDiscovery(log: Logger): (error: unknown) => void {
  return (error) => {
    if (!metricsGroups.test(messageOf(error)))
      log.warn({ err: error }, "could not read the cluster's resources");
  };
}

/** Watches what nearly every request needs, so that the first one need not wait for a list. Never rejects. */
export function createWatchAhead(
  mapper: ResourceMapper,
  objects: Objects,
  log: Logger,
): (rules: CompiledRules) => Promise<void> {
  return async (rules) => {
    const resources = [
      ...(rules.custom.length > 0 || rules.resource !== undefined ? ["pods"] : []),
      ...(rules.resource === undefined ? [] : ["nodes"]),
    ];
    try {
      for (const resource of resources) {
        const info = await mapper.byResource(resource);
        if (info !== undefined) objects.watch(info);
      }
    } catch (error) {
      // The first request for these objects retries.
      log.warn({ err: error }, "cannot read the cluster's resources yet");
    }
  };
}
