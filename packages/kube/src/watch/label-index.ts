// An index of labels, for selectors that name values.
import { getOrAdd } from "@plimsoll/component-base";
import type { Selector } from "@plimsoll/core/selector";
import type { KubeObject } from "../objects/object.ts";

/**
 * Finds objects of one namespace by label values. Only keys that selectors named and objects carry are indexed:
 * most labels are in no selector, and would only cost memory.
 */
export interface LabelIndex<T> {
  put(object: T, previous: T | undefined): void;
  drop(object: T): void;
  /** All that the selector can match, and maybe more; undefined when the index does not narrow it down. */
  narrow(selector: Selector, all: ReadonlyMap<string, T>): readonly T[] | undefined;
}

/** Callers choose the keys: each indexed one is visited whenever an object changes. */
const maxKeys = 32;
/** Of one selector; the others are left to matching. */
const maxNarrowing = 4;

/** Label value → the objects that carry it, by name. */
type ByValue<T> = Map<string, Map<string, T>>;

export function createLabelIndex<T extends KubeObject>(): LabelIndex<T> {
  const keys = new Map<string, ByValue<T>>();

  function indexOf(key: string, all: ReadonlyMap<string, T>): ByValue<T> {
    let byValue = keys.get(key);
    if (byValue === undefined) {
      byValue = new Map();
      for (const object of all.values()) add(byValue, key, object);
      // No object has the key: it is invented, or too early.
      if (byValue.size === 0) return byValue;
    }
    // The least recently used key is first.
    keys.delete(key);
    keys.set(key, byValue);
    for (const oldest of keys.keys()) {
      if (keys.size <= maxKeys) break;
      keys.delete(oldest);
    }
    return byValue;
  }

  return {
    put(object, previous) {
      for (const [key, byValue] of keys) {
        if (previous !== undefined) remove(byValue, key, previous);
        add(byValue, key, object);
        if (byValue.size === 0) keys.delete(key);
      }
    },
    drop(object) {
      for (const [key, byValue] of keys) {
        remove(byValue, key, object);
        if (byValue.size === 0) keys.delete(key);
      }
    },
    narrow(selector, all) {
      let best: readonly Map<string, T>[] | undefined;
      let bestSize = all.size;
      const equalities = selector.requirements.filter(
        ({ operator }) => operator === "=" || operator === "in",
      );
      for (const { key, values } of equalities.slice(0, maxNarrowing)) {
        const byValue = indexOf(key, all);
        const found = values.map((value) => byValue.get(value)).filter((named) => named !== undefined);
        const size = found.reduce((sum, named) => sum + named.size, 0);
        if (best !== undefined && size >= bestSize) continue;
        best = found;
        bestSize = size;
      }
      return best?.flatMap((named) => [...named.values()]);
    },
  };
}

function add<T extends KubeObject>(byValue: ByValue<T>, key: string, object: T): void {
  const value = labelOf(object, key);
  if (value !== undefined) getOrAdd(byValue, value, () => new Map()).set(object.metadata.name, object);
}

function remove<T extends KubeObject>(byValue: ByValue<T>, key: string, object: T): void {
  const value = labelOf(object, key);
  const named = value === undefined ? undefined : byValue.get(value);
  if (value === undefined || named === undefined) return;
  named.delete(object.metadata.name);
  if (named.size === 0) byValue.delete(value);
}

function labelOf(object: KubeObject, key: string): string | undefined {
  const { labels } = object.metadata;
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
}
