import type { Change } from "@plimsoll/kube";
import { isOlder, type NativeHpa, namespaceOf, splitKey } from "../hpa/native-hpa.ts";
import type { Watch } from "../watch.ts";
import { boundsFinalizer, finalizersOf, isBoundsWla } from "./bounds-wla.ts";
import { boundsOf } from "./live-hpa.ts";

/** The HPAs and the WorkloadAutoscalers that point to them, with what our own writes left of them. */
export interface Sight {
  hpa(key: string): NativeHpa | undefined;
  /** Whether anybody is to move the bounds of an HPA; cheap. */
  isClaimed(key: string): boolean;
  /** Those that are to move the bounds of an HPA, by name. */
  claimsOn(key: string): readonly NativeHpa[];
  /** HPAs that a change of a WorkloadAutoscaler concerns: pointed to, before or now, or held by it. */
  concernedBy(change: Pick<Change<NativeHpa>, "object" | "previous">): readonly string[];
  /** HPAs that stand as they do because of some schedules. */
  held(): readonly string[];
  /** Those that have our finalizer and nothing to hold any more. */
  releasable(namespace: string): readonly NativeHpa[];
  /** Those that would be releasable, but for this HPA. */
  waiting(key: string): readonly NativeHpa[];
  /** What a write gave us, until the watch has it. */
  keep(object: NativeHpa): void;
  drop(object: NativeHpa): void;
  wlas(): readonly NativeHpa[];
}

export function hpaKey(hpa: NativeHpa): string {
  return `${namespaceOf(hpa)}/${hpa.metadata.name}`;
}

function targetKey(wla: NativeHpa): string {
  return `${namespaceOf(wla)}/${wla.spec.scaleTargetRef.name}`;
}

export function createSight(hpas: Watch<NativeHpa>, wlas: Watch<NativeHpa>): Sight {
  const written = new Map<string, NativeHpa>();
  /** By HPA, the names of those that point to it. */
  const pointing = new Map<string, Set<string>>();
  /** By namespace, the names of those that are to lose our finalizer. */
  const leaving = new Map<string, Set<string>>();
  wlas.subscribe(({ type, object, previous }) => {
    const isLeaving = type !== "deleted" && isWithdrawn(object);
    put(leaving, namespaceOf(object), { name: object.metadata.name, isIn: isLeaving });
    if (previous !== undefined)
      put(pointing, targetKey(previous), { name: object.metadata.name, isIn: false });
    const isPointing = type !== "deleted" && isBoundsWla(object);
    put(pointing, targetKey(object), { name: object.metadata.name, isIn: isPointing });
  });

  return {
    hpa(key) {
      const { namespace, name } = splitKey(key);
      const found = hpas.get(namespace, name);
      return found === undefined ? undefined : latest(found);
    },
    isClaimed: (key) => pointing.has(key),
    claimsOn(key) {
      const { namespace } = splitKey(key);
      const names = [...(pointing.get(key) ?? [])].sort();
      return names
        .flatMap((name) => wlas.get(namespace, name) ?? [])
        .map(latest)
        .filter((wla) => isBoundsWla(wla) && targetKey(wla) === key && !isGoing(wla));
    },
    concernedBy({ object, previous }) {
      const seen = [object, ...(previous === undefined ? [] : [previous])];
      const isOurs = (wla: NativeHpa) => isBoundsWla(wla) || finalizersOf(wla).includes(boundsFinalizer);
      const held = heldBy(object).map(hpaKey);
      return [...new Set([...seen.filter(isOurs).map(targetKey), ...held])];
    },
    held: () =>
      listed(hpas)
        .filter((hpa) => boundsOf(hpa).hasAnnotation)
        .map(hpaKey),
    releasable: (namespace) => withdrawn(namespace).filter((wla) => heldBy(wla).length === 0),
    waiting: (key) =>
      withdrawn(splitKey(key).namespace).filter((wla) => heldBy(wla).some((hpa) => hpaKey(hpa) === key)),
    keep(object) {
      const { uid, name } = object.metadata;
      const watch = object.wla === undefined ? hpas : wlas;
      // What the watch does not have any more would stay for ever.
      if (uid !== undefined && watch.get(namespaceOf(object), name)?.metadata.uid === uid)
        written.set(uid, object);
    },
    drop: ({ metadata }) => void written.delete(metadata.uid ?? ""),
    wlas: () => listed(wlas),
  };

  function withdrawn(namespace: string): readonly NativeHpa[] {
    return [...(leaving.get(namespace) ?? [])]
      .flatMap((name) => wlas.get(namespace, name) ?? [])
      .map(latest)
      .filter(isWithdrawn);
  }

  function listed(watch: Watch<NativeHpa>, namespace?: string): readonly NativeHpa[] {
    return watch.list(namespace).map(latest);
  }

  function heldBy(wla: NativeHpa): readonly NativeHpa[] {
    return listed(hpas, namespaceOf(wla)).filter((hpa) => boundsOf(hpa).held?.by === wla.metadata.name);
  }

  function latest(object: NativeHpa): NativeHpa {
    const { uid = "", resourceVersion } = object.metadata;
    const ours = written.get(uid);
    if (ours !== undefined && isOlder(resourceVersion, ours.metadata.resourceVersion)) return ours;
    written.delete(uid);
    return object;
  }
}

/** It has our finalizer, and nothing to hold any more. */
function isWithdrawn(wla: NativeHpa): boolean {
  return finalizersOf(wla).includes(boundsFinalizer) && (isGoing(wla) || !isBoundsWla(wla));
}

function put(
  sets: Map<string, Set<string>>,
  key: string,
  { name, isIn }: { readonly name: string; readonly isIn: boolean },
): void {
  const names = sets.get(key) ?? new Set();
  if (isIn) names.add(name);
  else names.delete(name);
  if (names.size > 0) sets.set(key, names);
  else sets.delete(key);
}

function isGoing({ metadata }: NativeHpa): boolean {
  return metadata.deletionTimestamp !== undefined;
}
