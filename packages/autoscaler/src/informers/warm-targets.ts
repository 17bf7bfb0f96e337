// Watches the kinds that objects scale before this process evaluates the objects, so that a takeover lists nothing.
import type { RestMapper } from "@plimsoll/kube";
import { isWatchedKind, type TargetCache } from "@plimsoll/observe";
import type { ScalingObject } from "../objects/scaling-object.ts";
import type { Objects } from "./objects.ts";

export interface WarmTargetsDeps {
  readonly objects: Pick<Objects, "list" | "subscribe">;
  readonly mapper: Pick<RestMapper, "byKind">;
  readonly targets: Pick<TargetCache, "warm">;
}

/**
 * Watches the kind of each target, of what there is and of what comes. The evaluation of an object does the same, so what
 * fails here is tried again then.
 */
export function warmTargets({ objects, mapper, targets }: WarmTargetsDeps): void {
  const known = new Set<string>();

  async function warm({ spec }: ScalingObject): Promise<void> {
    const { apiVersion = "", kind } = { ...spec.scaleTargetRef };
    const group = apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
    const name = `${group}/${kind}`;
    // A target may name any kind, also one that does not exist.
    if (known.has(name) || !isWatchedKind({ group, kind })) return;
    known.add(name);
    try {
      const [info] = await mapper.byKind(group, kind);
      if (info !== undefined) targets.warm(info);
    } catch {
      known.delete(name);
    }
  }

  objects.subscribe(({ type, object }) => {
    if (type !== "deleted") void warm(object);
  });
  for (const object of objects.list()) void warm(object);
}
