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
  /** By HPA, the keys of those that point to it. */
  const pointing = new Map<string, Set<string>>();
  wlas.subscribe(({ type, object, previous }) => {
    if (previous !== undefined) pointing.get(targetKey(previous))?.delete(previous.metadata.name);
    const names = pointing.get(targetKey(object)) ?? new Set();
    if (type === "deleted" || !isBoundsWla(object)) names.delete(object.metadata.name);
    else names.add(object.metadata.name);
    if (names.size > 0) pointing.set(targetKey(object), names);
    else pointing.delete(targetKey(object));
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
    releasable: (namespace) =>
      listed(wlas, namespace).filter(
        (wla) =>
          finalizersOf(wla).includes(boundsFinalizer) &&
          (isGoing(wla) || !isBoundsWla(wla)) &&
          heldBy(wla).length === 0,
      ),
    keep(object) {
      if (object.metadata.uid !== undefined) written.set(object.metadata.uid, object);
    },
    drop: ({ metadata }) => void written.delete(metadata.uid ?? ""),
    wlas: () => listed(wlas),
  };

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

function isGoing({ metadata }: NativeHpa): boolean {
  return metadata.deletionTimestamp !== undefined;
}
