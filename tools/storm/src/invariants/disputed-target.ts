// Invariant: a target that several objects name is scaled by none of them.
import { wlaDefinition } from "@plimsoll/core/internal/objects";
import type { StoredObject } from "@plimsoll/sandbox";
import type { CreateInvariant, Observed, Outcome } from "../run/world.ts";
import { createCalm, deliveredMs } from "./calm.ts";
import { evaluationManager, hpaResource, keyOfObject, targetOfPath } from "./names.ts";

interface Claim {
  readonly target: string;
  readonly sinceMs: number;
}

interface Spec {
  readonly scaleTargetRef?: { readonly kind: string; readonly name: string };
  readonly mode?: string;
}

/** HPAs claim their targets whether they are managed or not, WorkloadAutoscalers unless their mode is Shadow. */
export const disputedTarget: CreateInvariant = (world) => {
  const { cluster, time } = world;
  const calm = createCalm(world);
  /** By object. */
  const claims = new Map<string, Claim>();
  cluster.onRestore(() => {
    claims.clear();
    for (const resource of [hpaResource, wlaDefinition])
      for (const object of cluster.store.list(resource)) put(object);
  });

  function put(object: StoredObject): void {
    const { scaleTargetRef, mode } = (object.spec ?? {}) as Spec;
    const { namespace = "", name } = object.metadata;
    const key = keyOfObject(object.kind ?? "", namespace, name);
    const target = `${namespace}/${scaleTargetRef?.kind ?? ""}/${scaleTargetRef?.name ?? ""}`;
    if (mode === "Shadow") claims.delete(key);
    else if (claims.get(key)?.target !== target) claims.set(key, { target, sinceMs: time.nowMs });
  }

  function follow({ event: { resource, type, object } }: Observed<"written">): void {
    if (resource !== hpaResource && resource !== wlaDefinition) return;
    const { namespace = "", name } = object.metadata;
    if (type === "DELETED") claims.delete(keyOfObject(object.kind ?? "", namespace, name));
    else put(object);
  }

  function ofRequest({ process, request }: Observed<"sent">): Outcome {
    const target = request.method === "PUT" ? targetOfPath(request.path) : undefined;
    if (target === undefined || request.query.get("fieldManager") !== evaluationManager) return undefined;
    if (calm.forMs() < deliveredMs) return undefined;
    const claiming = [...claims].filter(
      ([, claim]) => claim.target === target && time.nowMs - claim.sinceMs >= deliveredMs,
    );
    return claiming.length < 2
      ? true
      : `${process} scales ${target}, which ${claiming.map(([key]) => key).join(" and ")} name`;
  }

  return {
    name: "disputed-target",
    observe(observation) {
      calm.observe(observation);
      if (observation.kind === "written") follow(observation);
      return observation.kind === "sent" ? ofRequest(observation) : undefined;
    },
  };
};
