// Invariant: what the end of a schedule restores is what stood before, or what was written since.
import type { ReplicaBounds } from "@plimsoll/core";
import { boundsAnnotation, boundsFields } from "@plimsoll/core/internal/objects";
import type { StoredObject } from "@plimsoll/sandbox";
import type { CreateInvariant, Observed, Outcome } from "../run/world.ts";
import { hpaResource, isAutoscaler } from "./names.ts";

/** An HPA that no schedule moves any more has, in each field, what its user wrote last, or a job in their place. */
export const restoredBounds: CreateInvariant = ({ cluster }) => {
  /** By uid; undefined where another client wrote what we keep there. */
  const intended = new Map<string, ReplicaBounds | undefined>();
  cluster.onRestore(() => {
    intended.clear();
    for (const object of cluster.store.list(hpaResource))
      intended.set(uidOf(object), isMoved(object) ? undefined : boundsOf(object));
  });
  return {
    name: "restored-bounds",
    observe(observation) {
      if (observation.kind !== "written" || observation.event.resource !== hpaResource) return undefined;
      const { object, previous, type } = observation.event;
      const uid = uidOf(object);
      if (type === "DELETED") intended.delete(uid);
      else if (previous === undefined) intended.set(uid, isMoved(object) ? undefined : boundsOf(object));
      else return follow(observation, previous);
      return undefined;
    },
  };

  function follow({ writer, event: { object } }: Observed<"written">, previous: StoredObject): Outcome {
    const uid = uidOf(object);
    const isBySchedule =
      isAutoscaler(writer) && (savedOf(object) !== savedOf(previous) || isAsSet(object, boundsOf(previous)));
    if (!isBySchedule) {
      const isUnknown = intended.get(uid) === undefined || savedOf(object) !== savedOf(previous);
      intended.set(uid, isUnknown ? knownAgain(object) : written(uid, boundsOf(previous), boundsOf(object)));
      return undefined;
    }
    const wanted = intended.get(uid);
    if (isMoved(object) || wanted === undefined || wanted.minReplicas > wanted.maxReplicas) {
      if (!isMoved(object)) intended.set(uid, boundsOf(object));
      return undefined;
    }
    const live = boundsOf(object);
    const field = boundsFields.find((name) => live[name] !== wanted[name]);
    if (field === undefined) return true;
    const { namespace, name } = object.metadata;
    return `${writer} restored ${field} ${live[field]} of ${namespace}/${name}, whose user wrote ${wanted[field]}`;
  }

  function written(uid: string, before: ReplicaBounds, after: ReplicaBounds): ReplicaBounds {
    const known = intended.get(uid) ?? after;
    const of = (name: keyof ReplicaBounds) => (after[name] === before[name] ? known[name] : after[name]);
    return { minReplicas: of("minReplicas"), maxReplicas: of("maxReplicas") };
  }
};

function knownAgain(object: StoredObject): ReplicaBounds | undefined {
  return isMoved(object) ? undefined : boundsOf(object);
}

function boundsOf({ spec }: StoredObject): ReplicaBounds {
  const { minReplicas = 1, maxReplicas = 0 } = (spec ?? {}) as Partial<ReplicaBounds>;
  return { minReplicas, maxReplicas };
}

function savedOf({ metadata }: StoredObject): string | undefined {
  return metadata.annotations?.[boundsAnnotation];
}

function isMoved(object: StoredObject): boolean {
  return savedOf(object) !== undefined;
}

/** Whether bounds that another client changed are again what the schedule sets. */
function isAsSet(object: StoredObject, before: ReplicaBounds): boolean {
  const live = boundsOf(object);
  const isChanged = boundsFields.some((name) => live[name] !== before[name]);
  return isChanged && boundsFields.every((name) => live[name] === (setOf(object)[name] ?? before[name]));
}

function setOf(object: StoredObject): Partial<ReplicaBounds> {
  try {
    return (JSON.parse(savedOf(object) ?? "{}") as { readonly set?: Partial<ReplicaBounds> }).set ?? {};
  } catch {
    return {};
  }
}

function uidOf({ metadata }: StoredObject): string {
  return metadata.uid ?? "";
}
