import type { KeyedEntries } from "@plimsoll/component-base";
import { maxNamed } from "@plimsoll/observe";
import { keyOf, namespaceOf, type ScalingObject, wlaOf } from "../../objects/scaling-object.ts";

/** Which objects name the same scale target, by their scaleTargetRef. */
export interface ScaleTargetIndex {
  put(object: ScalingObject): void;
  drop(key: string): void;
  /** Objects that name this object's target, itself and some others, sorted; empty unless there are at least two. */
  conflictingWith(key: string): readonly string[];
  /** Whether the object is in the index; one in mode Shadow is not. */
  has(key: string): boolean;
  readonly entries: KeyedEntries;
}

/** The objects that name one target. */
interface Group {
  readonly target: string;
  readonly keys: Set<string>;
}

export function createScaleTargetIndex(): ScaleTargetIndex {
  const groups = new Map<string, Group>();
  const groupOf = new Map<string, Group>();
  return { put, drop, conflictingWith, has: (key) => groupOf.has(key), entries: groupOf };

  function put(object: ScalingObject): void {
    const key = keyOf(object);
    if (wlaOf(object)?.mode === "Shadow") {
      drop(key);
      return;
    }
    const target = targetKey(object);
    if (groupOf.get(key)?.target === target) return;
    drop(key);
    const group = groups.get(target) ?? { target, keys: new Set() };
    groups.set(target, group);
    group.keys.add(key);
    groupOf.set(key, group);
  }

  function drop(key: string): void {
    const group = groupOf.get(key);
    if (group === undefined) return;
    groupOf.delete(key);
    group.keys.delete(key);
    if (group.keys.size === 0) groups.delete(group.target);
  }

  function conflictingWith(key: string): readonly string[] {
    const keys = groupOf.get(key)?.keys;
    return keys === undefined || keys.size < 2 ? [] : someOf(keys, key);
  }
}

/** With thousands, all of them in the message of each would be millions. */
function someOf(keys: ReadonlySet<string>, own: string): readonly string[] {
  const some = [own];
  for (const key of keys) {
    if (some.length >= maxNamed) break;
    if (key !== own) some.push(key);
  }
  return some.sort();
}

/** Without the version: versions are views of the same object. */
function targetKey(object: ScalingObject): string {
  const { apiVersion = "", kind, name } = object.spec.scaleTargetRef;
  const group = apiVersion.slice(0, Math.max(0, apiVersion.indexOf("/")));
  return [namespaceOf(object), group, kind, name].join("|");
}
