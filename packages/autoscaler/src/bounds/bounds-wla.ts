import type { Change } from "@plimsoll/kube";
import type { NativeHpa } from "../hpa/native-hpa.ts";
import type { Watch } from "../watch.ts";

/** Keeps a WorkloadAutoscaler until the bounds that follow its schedules are back at what they were. */
export const boundsFinalizer = "autoscaling.plimsoll.dev/schedule-bounds";

/** Whether a WorkloadAutoscaler moves the bounds of an HPA, instead of scaling something itself. */
export function isBoundsWla({ wla, spec }: NativeHpa): boolean {
  return wla !== undefined && spec.scaleTargetRef.kind === "HorizontalPodAutoscaler";
}

export function finalizersOf({ metadata }: NativeHpa): readonly string[] {
  const { finalizers } = metadata as { readonly finalizers?: unknown };
  return Array.isArray(finalizers) ? (finalizers as readonly string[]) : [];
}

/** The same watch without those that move bounds; one that becomes such counts as deleted. */
export function withoutBoundsWlas(wlas: Watch<NativeHpa>): Watch<NativeHpa> {
  const isOther = (object: NativeHpa) => !isBoundsWla(object);
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

  function seenWithout({ type, object, previous }: Change<NativeHpa>): Change<NativeHpa> | undefined {
    const was = previous !== undefined && isOther(previous);
    if (type === "deleted") return isOther(object) || was ? { type, object } : undefined;
    if (!isOther(object)) return was ? { type: "deleted", object: previous } : undefined;
    return was ? { type, object, previous } : { type: "added", object };
  }
}
