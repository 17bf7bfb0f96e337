// An index of HPAs by the WorkloadAutoscaler that moves their minReplicas and maxReplicas.
import type { Clock, KeyedEntries } from "@plimsoll/component-base";
import { boundsAnnotation } from "@plimsoll/core/internal/objects";
import { type Change, createMutationCache, type MutationCache } from "@plimsoll/kube";
import type { Watch } from "../../informers/watch.ts";
import {
  isBoundsWla,
  keyOf,
  namespaceOf,
  type ScalingObject,
  splitKey,
} from "../../objects/scaling-object.ts";
import { boundsOf } from "./live-hpa.ts";

/**
 * HPAs by the WorkloadAutoscalers that move their bounds, as the watches show them or, where that is newer, as our own
 * writes left them. No lookup walks over all objects.
 */
export interface BoundsIndex {
  hpa(key: string): ScalingObject | undefined;
  /** Whether a WorkloadAutoscaler points to the HPA. */
  isTargeted(key: string): boolean;
  /** WorkloadAutoscalers that are to move the bounds of an HPA, by name. */
  wlasOf(key: string): readonly ScalingObject[];
  /** HPAs that a change of a WorkloadAutoscaler concerns: pointed to, before or now, or moved by it. */
  concernedBy(change: Pick<Change<ScalingObject>, "object" | "previous">): readonly string[];
  /** Keys of all HPAs that are pointed to, or whose bounds are moved. */
  keys(): ReadonlySet<string>;
  /** WorkloadAutoscalers that have our finalizer and move no bounds any more. */
  removable(namespace: string): readonly ScalingObject[];
  /** Those that would be removable, but for this HPA. */
  waitingFor(key: string): readonly ScalingObject[];
  /** The newest version of an object that a watch showed. */
  newest(object: ScalingObject): ScalingObject;
  /** Saves what a write returned, until the watch shows it. */
  put(object: ScalingObject): void;
  /** By HPA, but for `written`, which is by object. */
  readonly entries: Readonly<Record<"targeted" | "moved" | "written", KeyedEntries>>;
}

export function hpaKey(object: Pick<ScalingObject, "metadata">): string {
  return `${namespaceOf(object)}/${object.metadata.name}`;
}

export function finalizersOf({ metadata }: ScalingObject): readonly string[] {
  const { finalizers } = metadata as { readonly finalizers?: unknown };
  return Array.isArray(finalizers) ? (finalizers as readonly string[]) : [];
}

export function hasFinalizer(wla: ScalingObject): boolean {
  return finalizersOf(wla).includes(boundsAnnotation);
}

interface State {
  readonly wlas: Watch<ScalingObject>;
  readonly written: MutationCache<ScalingObject>;
  /** By HPA, the names of the WorkloadAutoscalers that point to it. */
  readonly pointing: NameSets;
  /** By namespace, the names of those that are to lose our finalizer. */
  readonly withdrawn: NameSets;
  readonly moved: MovedHpas;
}

export function createBoundsIndex({
  hpas,
  wlas,
  clock,
}: {
  readonly hpas: Watch<ScalingObject>;
  readonly wlas: Watch<ScalingObject>;
  readonly clock: Clock;
}): BoundsIndex {
  const state: State = {
    wlas,
    written: createMutationCache({ clock }),
    pointing: createNameSets(),
    withdrawn: createNameSets(),
    moved: createMovedHpas(),
  };
  const { moved, pointing, written } = state;
  hpas.subscribe(({ type, object }) => {
    if (type === "deleted") written.drop(keyOf(object));
    moved.put(hpaKey(object), type === "deleted" ? undefined : newest(state, object));
  });
  wlas.subscribe((change) => follow(state, change));

  return {
    entries: { targeted: pointing, moved, written: written.entries },
    hpa(key) {
      const { namespace, name } = splitKey(key);
      const found = hpas.get(namespace, name);
      return found === undefined ? undefined : newest(state, found);
    },
    isTargeted: (key) => pointing.has(key),
    wlasOf: (key) =>
      named(state, splitKey(key).namespace, pointing.of(key).toSorted()).filter(
        (wla) => isBoundsWla(wla) && targetKey(wla) === key && !isDeleted(wla),
      ),
    concernedBy({ object, previous }) {
      const seen = previous === undefined ? [object] : [object, previous];
      const targets = seen.filter((wla) => isBoundsWla(wla) || hasFinalizer(wla)).map(targetKey);
      return [...new Set([...targets, ...moved.by(object)])];
    },
    keys: () => new Set([...pointing.keys(), ...moved.keys()]),
    removable: (namespace) => withdrawnIn(state, namespace).filter((wla) => moved.by(wla).length === 0),
    waitingFor: (key) =>
      withdrawnIn(state, splitKey(key).namespace).filter((wla) => moved.by(wla).includes(key)),
    newest: (object) => newest(state, object),
    put(object) {
      // A response may arrive after the watch showed that the object is gone: no event would remove it again.
      const { kind, metadata } = object;
      const watch = kind === "HorizontalPodAutoscaler" ? hpas : wlas;
      if (watch.get(namespaceOf(object), metadata.name)?.metadata.uid !== metadata.uid) return;
      if (written.put(keyOf(object), object) && watch === hpas) moved.put(hpaKey(object), object);
    },
  };
}

function follow({ pointing, withdrawn, written }: State, change: Change<ScalingObject>): void {
  const { type, object, previous } = change;
  const { name } = object.metadata;
  const isThere = type !== "deleted";
  if (!isThere) written.drop(keyOf(object));
  withdrawn.set(namespaceOf(object), name, isThere && isWithdrawn(object));
  if (previous !== undefined) pointing.set(targetKey(previous), name, false);
  pointing.set(targetKey(object), name, isThere && isBoundsWla(object));
}

function newest({ written }: State, object: ScalingObject): ScalingObject {
  return written.newest(keyOf(object), object);
}

function named(state: State, namespace: string, names: readonly string[]): readonly ScalingObject[] {
  return names.flatMap((name) => state.wlas.get(namespace, name) ?? []).map((wla) => newest(state, wla));
}

function withdrawnIn(state: State, namespace: string): readonly ScalingObject[] {
  return named(state, namespace, state.withdrawn.of(namespace)).filter(isWithdrawn);
}

function targetKey(wla: ScalingObject): string {
  return `${namespaceOf(wla)}/${wla.spec.scaleTargetRef.name}`;
}

/** It has our finalizer, and is not to move bounds any more. */
function isWithdrawn(wla: ScalingObject): boolean {
  return hasFinalizer(wla) && (isDeleted(wla) || !isBoundsWla(wla));
}

function isDeleted({ metadata }: ScalingObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** HPAs whose bounds are moved, by the WorkloadAutoscaler that their annotation names. It is read once per change. */
interface MovedHpas extends KeyedEntries {
  /** The HPA as it is now; undefined when it is gone. */
  put(key: string, hpa: ScalingObject | undefined): void;
  /** Keys of the HPAs that a WorkloadAutoscaler moves. */
  by(wla: ScalingObject): readonly string[];
}

/** An index of the HPAs whose bounds are moved, by the WorkloadAutoscaler that moves them. */
function createMovedHpas(): MovedHpas {
  /** By HPA, "namespace/name" of the WorkloadAutoscaler; without a name where the annotation cannot be read. */
  const moverOf = new Map<string, string>();
  const byMover = createNameSets();
  return {
    put(key, hpa) {
      const state = hpa === undefined ? undefined : boundsOf(hpa);
      const mover =
        hpa === undefined || state?.hasAnnotation !== true
          ? undefined
          : `${namespaceOf(hpa)}/${state.saved?.by ?? ""}`;
      const before = moverOf.get(key);
      if (before === mover) return;
      if (before !== undefined) byMover.set(before, key, false);
      if (mover === undefined) moverOf.delete(key);
      else {
        moverOf.set(key, mover);
        byMover.set(mover, key, true);
      }
    },
    by: (wla) => byMover.of(`${namespaceOf(wla)}/${wla.metadata.name}`),
    get size() {
      return moverOf.size;
    },
    keys: () => moverOf.keys(),
  };
}

/** Sets of names by key; an empty set takes no space. */
interface NameSets extends KeyedEntries {
  set(key: string, name: string, isIn: boolean): void;
  has(key: string): boolean;
  of(key: string): readonly string[];
}

/** A map of key to set of names. */
function createNameSets(): NameSets {
  const sets = new Map<string, Set<string>>();
  return {
    set(key, name, isIn) {
      const names = sets.get(key);
      if (isIn) sets.set(key, (names ?? new Set()).add(name));
      else if (names?.delete(name) === true && names.size === 0) sets.delete(key);
    },
    has: (key) => sets.has(key),
    of: (key) => [...(sets.get(key) ?? [])],
    get size() {
      return sets.size;
    },
    keys: () => sets.keys(),
  };
}
