import { getOrAdd } from "@plimsoll/component-base";
import type { Selector } from "@plimsoll/core/selector";
import type { KubeObject } from "../objects/object.ts";
import { createLabelIndex, type LabelIndex } from "./label-index.ts";

/** The objects of one resource as last seen. Whoever reads must not change what it hands out. */
export interface Store<T> {
  readonly size: number;
  get(namespace: string | undefined, name: string): T | undefined;
  /** Whether there is any of a namespace. */
  hasIn(namespace: string): boolean;
  /** All, or those of a namespace. */
  list(namespace?: string): readonly T[];
  /** Those of a namespace (undefined: of all) that the selector matches; cheap when it names the values of a label. */
  select(namespace: string | undefined, selector: Selector): readonly T[];
}

/** A store and the right to fill it. */
export interface WritableStore<T> extends Store<T> {
  /** Those that have objects; "" is that of objects without one. */
  namespaces(): readonly string[];
  /** Returns what was there before. */
  set(object: T): T | undefined;
  /** Returns what was there. */
  delete(namespace: string | undefined, name: string): T | undefined;
}

interface Shelf<T> {
  readonly byName: Map<string, T>;
  readonly index: LabelIndex<T>;
}

function newShelf<T extends KubeObject>(): Shelf<T> {
  return { byName: new Map(), index: createLabelIndex() };
}

export function createStore<T extends KubeObject>(): WritableStore<T> {
  /** By namespace, "" for what has none. */
  const shelves = new Map<string, Shelf<T>>();
  let size = 0;

  function set(object: T): T | undefined {
    const { namespace = "", name } = object.metadata;
    const shelf = getOrAdd(shelves, namespace, newShelf<T>);
    const previous = shelf.byName.get(name);
    if (previous === undefined) size += 1;
    shelf.byName.set(name, object);
    shelf.index.put(object, previous);
    return previous;
  }

  function remove(namespace: string | undefined, name: string): T | undefined {
    const shelf = shelves.get(namespace ?? "");
    const previous = shelf?.byName.get(name);
    if (shelf === undefined || previous === undefined) return undefined;
    shelf.byName.delete(name);
    shelf.index.drop(previous);
    size -= 1;
    if (shelf.byName.size === 0) shelves.delete(namespace ?? "");
    return previous;
  }

  function shelvesOf(namespace: string | undefined): readonly Shelf<T>[] {
    if (namespace === undefined) return [...shelves.values()];
    const shelf = shelves.get(namespace);
    return shelf === undefined ? [] : [shelf];
  }

  return {
    get size() {
      return size;
    },
    get: (namespace, name) => shelves.get(namespace ?? "")?.byName.get(name),
    hasIn: (namespace) => shelves.has(namespace),
    list: (namespace) => shelvesOf(namespace).flatMap(({ byName }) => [...byName.values()]),
    select: (namespace, selector) =>
      shelvesOf(namespace).flatMap(({ byName, index }) => {
        const searched = index.narrow(selector, byName) ?? [...byName.values()];
        return searched.filter((object) => selector.matches(object.metadata.labels));
      }),
    namespaces: () => [...shelves.keys()],
    set,
    delete: remove,
  };
}
