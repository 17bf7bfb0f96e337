// Caches which objects each selector selects.
import {
  type CacheMeter,
  createBoundedCache,
  createObjectIds,
  type KeyedEntries,
} from "@plimsoll/component-base";
import { compareText } from "@plimsoll/core/internal/values";
import type { Selector } from "@plimsoll/core/selector";
import type { Change, Reflector } from "@plimsoll/kube";
import type { ObservedObject, PodEndpoint } from "./observed-object.ts";

/** The objects that a selector selects. */
export interface Selection {
  /** Sorted by namespace and name. The same array for as long as nothing in it changed. */
  readonly objects: readonly ObservedObject[];
  /** Whether the selector selects the same objects now. */
  readonly isUnchanged: () => boolean;
}

/** What selectors select, cached until something changes in their namespace. */
export interface Selections {
  /** @param namespace Undefined: all. */
  select(namespace: string | undefined, selector: Selector): Selection;
  /** What is kept by namespace; "" for all of them. */
  readonly entries: KeyedEntries;
}

interface CachedSelection extends Selection {
  readonly changedAt: number;
}

export function createSelections(reflector: Reflector<ObservedObject>, meter?: CacheMeter): Selections {
  let changes = 0;
  /** The number of the last change, by namespace; under "" of any. A namespace without objects is as one never seen. */
  const changedAt = new Map<string, number>();
  const lastIn = (namespace: string): number => changedAt.get(namespace) ?? 0;
  reflector.subscribe((change) => {
    if (!matters(change)) return;
    changes += 1;
    changedAt.set("", changes);
    const { namespace } = change.object.metadata;
    if (namespace === undefined) return;
    if (reflector.store.hasIn(namespace)) changedAt.set(namespace, changes);
    else changedAt.delete(namespace);
  });

  const cached = createBoundedCache<CachedSelection>({
    name: "selections",
    meter,
    maxBytes: 16 * 1024 * 1024,
    // The list itself, and those of the names and of the groups that are made of it.
    sizeOf: ({ objects }) => 500 + 32 * objects.length,
    ttlMs: 600_000,
    isAgeLoose: true,
  });
  const idOf = createObjectIds();

  return {
    select(namespace, selector) {
      const place = namespace ?? "";
      const key = `${idOf(selector)} ${place}`;
      const known = cached.get(key);
      if (known !== undefined && known.changedAt === lastIn(place)) return known;
      const now = lastIn(place);
      const selection: CachedSelection = {
        objects: [...reflector.store.select(namespace, selector)].sort(byNamespaceAndName),
        isUnchanged: () => lastIn(place) === now,
        changedAt: now,
      };
      // Of namespaces that exist: callers can invent others without end.
      if (selection.objects.length > 0) cached.set(key, selection);
      return selection;
    },
    entries: changedAt,
  };
}

/** Objects change all the time, seldom in what is kept of them. */
function matters({ type, object, previous }: Change<ObservedObject>): boolean {
  if (type !== "modified" || previous === undefined) return true;
  return (
    object.phase !== previous.phase ||
    isElsewhere(object.endpoint, previous.endpoint) ||
    String(object.running) !== String(previous.running) ||
    !areEqual(object.metadata.labels, previous.metadata.labels)
  );
}

function isElsewhere(one: PodEndpoint | undefined, other: PodEndpoint | undefined): boolean {
  return one?.ip !== other?.ip || one?.isReady !== other?.isReady || one?.isEnding !== other?.isEnding;
}

function areEqual(
  one: Readonly<Record<string, string>> = {},
  other: Readonly<Record<string, string>> = {},
): boolean {
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && one[key] === other[key])
  );
}

function byNamespaceAndName(a: ObservedObject, b: ObservedObject): number {
  return (
    compareText(a.metadata.namespace ?? "", b.metadata.namespace ?? "") ||
    compareText(a.metadata.name, b.metadata.name)
  );
}
