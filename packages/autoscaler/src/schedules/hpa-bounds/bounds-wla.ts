// WorkloadAutoscalers whose target is an HPA, and their finalizer.
import type { Change } from "@plimsoll/kube";
import type { Watch } from "../../informers/watch.ts";
import type { ScalingObject } from "../../objects/scaling-object.ts";

/** Keeps a WorkloadAutoscaler until the bounds that follow its schedules are back at what they were. */
export const boundsFinalizer = "autoscaling.plimsoll.dev/schedule-bounds";

/** Whether a WorkloadAutoscaler moves the bounds of an HPA, instead of scaling something itself. */
export function isBoundsWla({ kind, spec }: ScalingObject): boolean {
  return kind === "WorkloadAutoscaler" && spec.scaleTargetRef.kind === "HorizontalPodAutoscaler";
}

export function finalizersOf({ metadata }: ScalingObject): readonly string[] {
  const { finalizers } = metadata as { readonly finalizers?: unknown };
  return Array.isArray(finalizers) ? (finalizers as readonly string[]) : [];
}

export function hasFinalizer(wla: ScalingObject): boolean {
  return finalizersOf(wla).includes(boundsFinalizer);
}

/** The same watch without those that move bounds; one that becomes such counts as deleted. */
export function withoutBoundsWlas(wlas: Watch<ScalingObject>): Watch<ScalingObject> {
  const isOther = (object: ScalingObject) => !isBoundsWla(object);
  return {
    ...wlas,
    get isSynced() {
      return wlas.isSynced;
    },
    get(namespace, name) {
      const found = wlas.get(namespace, name);
      return found !== undefined && isOther(found) ? found : undefined;
    },
    list: (namespace) => wlas.list(namespace).filter(isOther),
    subscribe(listener) {
      wlas.subscribe((change) => {
        const seen = seenWithout(change);
        if (seen !== undefined) listener(seen);
      });
    },
  };

  function seenWithout({ type, object, previous }: Change<ScalingObject>): Change<ScalingObject> | undefined {
    const was = previous !== undefined && isOther(previous);
    if (type === "deleted") return isOther(object) || was ? { type, object } : undefined;
    if (!isOther(object)) return was ? { type: "deleted", object: previous } : undefined;
    return was ? { type, object, previous } : { type: "added", object };
  }
}
