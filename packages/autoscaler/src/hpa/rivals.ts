import { keyOf, type NativeHpa, namespaceOf } from "./native-hpa.ts";

/** Which objects name the same scale target. */
export interface Rivals {
  put(hpa: NativeHpa): void;
  drop(key: string): void;
  /** All that name this object's target, itself included, sorted; empty unless there are at least two. */
  of(key: string): readonly string[];
  /** Whether the object lays claim to its target; one in mode Shadow does not. */
  claims(key: string): boolean;
}

export function createRivals(): Rivals {
  const byTarget = new Map<string, Set<string>>();
  const targetOf = new Map<string, string>();
  return { put, drop, of, claims: (key) => targetOf.has(key) };

  function put(hpa: NativeHpa): void {
    const key = keyOf(hpa);
    if (hpa.wla?.mode === "Shadow") {
      drop(key);
      return;
    }
    const target = targetText(hpa);
    if (targetOf.get(key) === target) return;
    drop(key);
    targetOf.set(key, target);
    const keys = byTarget.get(target);
    if (keys === undefined) byTarget.set(target, new Set([key]));
    else keys.add(key);
  }

  function drop(key: string): void {
    const target = targetOf.get(key);
    if (target === undefined) return;
    targetOf.delete(key);
    const keys = byTarget.get(target);
    keys?.delete(key);
    if (keys?.size === 0) byTarget.delete(target);
  }

  function of(key: string): readonly string[] {
    const keys = byTarget.get(targetOf.get(key) ?? "");
    return keys === undefined || keys.size < 2 ? [] : [...keys].sort();
  }
}

/** Versions do not tell targets apart: they are views of the same object. */
function targetText(hpa: NativeHpa): string {
  const { apiVersion = "", kind, name } = hpa.spec.scaleTargetRef;
  const group = apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
  return [namespaceOf(hpa), group, kind, name].join("|");
}
