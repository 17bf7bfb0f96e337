import type { KubeObject } from "./object.ts";
import type { Selector } from "./selector/selector.ts";

/** The objects of one resource as last seen. Whoever reads must not change what it hands out. */
export interface Store<T> {
  readonly size: number;
  get(namespace: string | undefined, name: string): T | undefined;
  /** All, or those of a namespace. */
  list(namespace?: string): readonly T[];
  /** Those of a namespace (undefined: of all) that the selector takes; cheap when a label is pinned to a value. */
  select(namespace: string | undefined, selector: Selector): readonly T[];
}

/** A store and the right to fill it. */
export interface WritableStore<T> extends Store<T> {
  /** Returns what was there before. */
  set(object: T): T | undefined;
  /** Returns what was there. */
  delete(namespace: string | undefined, name: string): T | undefined;
}

interface NamespaceShelf<T> {
  readonly byName: Map<string, T>;
  /** Label key → value → the objects that carry the pair, by name. */
  readonly byLabel: Map<string, Map<string, Map<string, T>>>;
}

export function createStore<T extends KubeObject>(): WritableStore<T> {
  const shelves = new Map<string, NamespaceShelf<T>>();
  let size = 0;

  function set(object: T): T | undefined {
    const { namespace = "", name, labels } = object.metadata;
    let shelf = shelves.get(namespace);
    if (shelf === undefined) {
      shelf = { byName: new Map(), byLabel: new Map() };
      shelves.set(namespace, shelf);
    }
    const previous = shelf.byName.get(name);
    if (previous === undefined) size += 1;
    else dropLabels(shelf, name, previous.metadata.labels);
    shelf.byName.set(name, object);
    for (const [key, value] of Object.entries(labels ?? {})) {
      const values = getOrAdd(shelf.byLabel, key);
      getOrAdd(values, value).set(name, object);
    }
    return previous;
  }

  function remove(namespace: string | undefined, name: string): T | undefined {
    const shelf = shelves.get(namespace ?? "");
    const previous = shelf?.byName.get(name);
    if (shelf === undefined || previous === undefined) return undefined;
    dropLabels(shelf, name, previous.metadata.labels);
    shelf.byName.delete(name);
    size -= 1;
    if (shelf.byName.size === 0) shelves.delete(namespace ?? "");
    return previous;
  }

  function list(namespace?: string): readonly T[] {
    if (namespace !== undefined) return [...(shelves.get(namespace)?.byName.values() ?? [])];
    return [...shelves.values()].flatMap((shelf) => [...shelf.byName.values()]);
  }

  function select(namespace: string | undefined, selector: Selector): readonly T[] {
    const searched =
      namespace === undefined
        ? [...shelves.values()]
        : [shelves.get(namespace)].filter((s) => s !== undefined);
    return searched.flatMap((shelf) =>
      candidates(shelf, selector).filter((object) => selector.matches(object.metadata.labels)),
    );
  }

  return {
    get size() {
      return size;
    },
    get: (namespace, name) => shelves.get(namespace ?? "")?.byName.get(name),
    list,
    select,
    set,
    delete: remove,
  };
}

/** The smallest set that the index offers and that holds all matches. */
function candidates<T>(shelf: NamespaceShelf<T>, selector: Selector): T[] {
  let best: Iterable<T> = shelf.byName.values();
  let bestSize = shelf.byName.size;
  for (const { key, operator, values } of selector.requirements) {
    if (operator !== "=" && operator !== "in") continue;
    const found = values
      .map((value) => shelf.byLabel.get(key)?.get(value))
      .filter((set) => set !== undefined);
    const foundSize = found.reduce((sum, set) => sum + set.size, 0);
    if (foundSize < bestSize) {
      best = found.flatMap((set) => [...set.values()]);
      bestSize = foundSize;
    }
  }
  return [...best];
}

function dropLabels<T>(
  shelf: NamespaceShelf<T>,
  name: string,
  labels: Readonly<Record<string, string>> | undefined,
): void {
  for (const [key, value] of Object.entries(labels ?? {})) {
    const values = shelf.byLabel.get(key);
    const named = values?.get(value);
    if (values === undefined || named === undefined) continue;
    named.delete(name);
    if (named.size === 0) values.delete(value);
    if (values.size === 0) shelf.byLabel.delete(key);
  }
}

function getOrAdd<V>(map: Map<string, Map<string, V>>, key: string): Map<string, V> {
  let found = map.get(key);
  if (found === undefined) {
    found = new Map();
    map.set(key, found);
  }
  return found;
}
