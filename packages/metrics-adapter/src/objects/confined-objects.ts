// Watches of resources that tenants choose: each in one namespace only, few of them, and only while they are used.
import { type Awaitable, steadyNowMs } from "@plimsoll/component-base";
import { groupResourceOf } from "@plimsoll/rules";
import type { Outcome } from "../backends/prometheus/providers/outcome.ts";
import type { Objects, ObjectsOptions, SelectQuery } from "./objects.ts";
import { createObjects } from "./objects.ts";
import type { Selection } from "./selections.ts";

/** Objects of whichever resource a rule of a namespace names. */
export type ConfinedObjects = ReturnType<typeof createConfinedObjects>;

export interface ConfinedObjectsOptions extends Omit<ObjectsOptions, "entryMeter"> {
  /** What is watched in all namespaces is used as it is. */
  readonly shared: Objects;
}

/** Each is a connection to the API server. */
const maxWatches = 128;
const maxOfNamespace = 4;
const maxObjects = 10_000;
/** What was used within this time gives way to nothing else of its namespace. */
const inUseMs = 60_000;
const idleMs = 600_000;
const sweepMs = 60_000;

interface Entry {
  readonly namespace: string;
  readonly objects: Objects;
  readonly sinceMs: number;
  usedAtMs: number;
  hasTooMany: boolean;
  isStopped: boolean;
}

/** Pods are watched for all: every autoscaler is about them. */
export function createConfinedObjects(options: ConfinedObjectsOptions) {
  const { clock, shared } = options;
  const entries = createEntries(options);
  return {
    select(query: SelectQuery): Awaitable<Outcome<Selection>> {
      const { info, namespace } = query;
      const resource = groupResourceOf(info);
      if (namespace === undefined || resource === "pods" || shared.isWatched(info))
        return shared.select(query);
      const entry = entries.use(namespace, resource, steadyNowMs(clock));
      if (typeof entry === "string") return unavailable(`cannot list ${resource}: ${entry}`);
      const tooMany = `the namespace ${namespace} has more than ${maxObjects} ${resource}: request single objects by name`;
      if (entry.hasTooMany) return unavailable(tooMany);
      const selected = entry.objects.select(query);
      if (!(selected instanceof Promise)) return selected;
      return selected.catch((error: unknown) => {
        if (!entry.isStopped) throw error;
        return unavailable(entry.hasTooMany ? tooMany : `cannot list ${resource} yet`);
      });
    },
    stop: entries.stop,
  };
}

function createEntries(options: ConfinedObjectsOptions) {
  const { clock } = options;
  const entries = new Map<string, Entry>();
  let cancelSweep: (() => void) | undefined;

  const remove = (key: string): void => {
    const entry = entries.get(key);
    entries.delete(key);
    if (entry === undefined) return;
    entry.isStopped = true;
    void entry.objects.stop();
  };

  const sweepLater = (): void => {
    cancelSweep ??= clock.after(sweepMs, () => {
      cancelSweep = undefined;
      const nowMs = steadyNowMs(clock);
      for (const [key, { usedAtMs, hasTooMany, sinceMs }] of entries)
        if (nowMs - (hasTooMany ? sinceMs : usedAtMs) >= idleMs) remove(key);
      if (entries.size > 0) sweepLater();
    });
  };

  return {
    /** Why there is none, where it is a string. */
    use(namespace: string, resource: string, nowMs: number): Entry | string {
      const key = `${namespace}/${resource}`;
      const known = entries.get(key);
      if (known !== undefined) {
        known.usedAtMs = nowMs;
        return known;
      }
      const place = placeIn(entries, namespace, nowMs);
      if (typeof place === "string") return place;
      if (place !== undefined) remove(place.key);
      const entry = open(options, namespace, nowMs);
      entries.set(key, entry);
      sweepLater();
      return entry;
    },
    async stop(): Promise<void> {
      cancelSweep?.();
      const all = [...entries.values()];
      entries.clear();
      await Promise.all(all.map(({ objects }) => objects.stop()));
    },
  };
}

/** What has to give way to one more, if anything; a string says why nothing does. */
function placeIn(
  entries: ReadonlyMap<string, Entry>,
  namespace: string,
  nowMs: number,
): KeyedEntry | string | undefined {
  const own = ofNamespace(entries, namespace);
  const [oldestOwn] = own;
  if (own.length >= maxOfNamespace)
    return oldestOwn !== undefined && nowMs - oldestOwn.usedAtMs >= inUseMs
      ? oldestOwn
      : `MetricRules in namespace ${namespace} already use ${maxOfNamespace} resources besides pods`;
  if (entries.size < maxWatches) return undefined;
  const [oldest, ...others] = largestOf(entries);
  return oldest !== undefined && others.length > own.length
    ? oldest
    : `MetricRules already use ${maxWatches} resources of single namespaces`;
}

function open(options: ConfinedObjectsOptions, namespace: string, nowMs: number): Entry {
  const objects = createObjects({
    ...options,
    reflect(info, onError) {
      const reflector = options.reflect(info, onError, namespace);
      reflector.subscribe(() => {
        if (entry.hasTooMany || reflector.store.size <= maxObjects) return;
        entry.hasTooMany = true;
        entry.isStopped = true;
        void objects.stop();
      });
      return reflector;
    },
  });
  const times = { sinceMs: nowMs, usedAtMs: nowMs };
  const entry: Entry = { namespace, objects, ...times, hasTooMany: false, isStopped: false };
  return entry;
}

interface KeyedEntry extends Entry {
  readonly key: string;
}

/** The one that was not used for the longest time first. */
function ofNamespace(entries: ReadonlyMap<string, Entry>, namespace: string): readonly KeyedEntry[] {
  return [...entries]
    .filter(([, entry]) => entry.namespace === namespace)
    .map(([key, entry]) => ({ ...entry, key }))
    .sort((a, b) => a.usedAtMs - b.usedAtMs);
}

/** Those of the namespace that has the most. */
function largestOf(entries: ReadonlyMap<string, Entry>): readonly KeyedEntry[] {
  const byNamespace = Map.groupBy(entries.values(), ({ namespace }) => namespace);
  let largest: readonly Entry[] = [];
  for (const some of byNamespace.values()) if (some.length > largest.length) largest = some;
  const [first] = largest;
  return first === undefined ? [] : ofNamespace(entries, first.namespace);
}

function unavailable(message: string): Outcome<never> {
  return { ok: false, failure: { code: "Unavailable", message, retryAfterSeconds: 1 } };
}
