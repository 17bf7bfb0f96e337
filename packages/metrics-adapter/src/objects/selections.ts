import type { Change, Reflector, Selector } from "@plimsoll/kube";
import type { ObservedObject } from "./observed-object.ts";

export interface Selection {
  /** Sorted by namespace and name. The same array for as long as nothing in it changed. */
  readonly objects: readonly ObservedObject[];
  /** Whether selecting anew would give the same. */
  readonly areSame: () => boolean;
}

/** What selectors select, kept until something changes in their namespace. */
export interface Selections {
  /** @param namespace Undefined: all. */
  select(namespace: string | undefined, selector: Selector): Selection;
}

interface Kept extends Selection {
  readonly changes: number;
}

export function createSelections(reflector: Reflector<ObservedObject>): Selections {
  /** How often something changed, by namespace; under "" everything. */
  const changes = new Map<string, number>();
  const count = (namespace: string): void => void changes.set(namespace, changesIn(namespace) + 1);
  const changesIn = (namespace: string): number => changes.get(namespace) ?? 0;
  reflector.subscribe((change) => {
    if (!matters(change)) return;
    count("");
    const { namespace } = change.object.metadata;
    if (namespace !== undefined) count(namespace);
  });

  const kept = new WeakMap<Selector, Map<string, Kept>>();
  return {
    select(namespace, selector) {
      const place = namespace ?? "";
      const bySelector = kept.get(selector) ?? new Map<string, Kept>();
      const known = bySelector.get(place);
      if (known !== undefined && known.changes === changesIn(place)) return known;
      const now = changesIn(place);
      const selection: Kept = {
        objects: [...reflector.store.select(namespace, selector)].sort(byNamespaceAndName),
        areSame: () => changesIn(place) === now,
        changes: now,
      };
      // Of namespaces that there are: callers can make up others without end.
      if (selection.objects.length > 0) {
        bySelector.set(place, selection);
        kept.set(selector, bySelector);
      }
      return selection;
    },
  };
}

/** Objects are touched all the time, seldom in what is kept of them. */
function matters({ type, object, previous }: Change<ObservedObject>): boolean {
  if (type !== "modified" || previous === undefined) return true;
  return object.phase !== previous.phase || !areEqual(object.metadata.labels, previous.metadata.labels);
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
    compare(a.metadata.namespace ?? "", b.metadata.namespace ?? "") ||
    compare(a.metadata.name, b.metadata.name)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
