// Invariant: what is paused, in shadow or not managed is not written.
import type { ManageHpas } from "@plimsoll/autoscaler";
import { wlaDefinition } from "@plimsoll/core/internal/objects";
import type { StoredObject } from "@plimsoll/sandbox";
import { autoscalerConfig } from "../autoscaler/flags.ts";
import type { CreateInvariant, Observed, Outcome, World } from "../run/world.ts";
import { createCalm, deliveredMs } from "./calm.ts";
import { type Decided, isActive, keyOfDecided } from "./decisions.ts";
import { hpaOfStatusWrite, hpaResource } from "./names.ts";
import { createAfterRestore } from "./restores.ts";

const managed = "autoscaling.plimsoll.dev/managed";

/** These leave processes and their connections alone: an HPA is not managed for as long as one of them lasts. */
const usersFaults = /^(object|hpa|workload)-/;

interface Wla {
  readonly mode?: string;
  readonly pause?: { readonly until?: string };
}

/**
 * Nothing is decided to be carried out by a specification that says otherwise, whenever that was; nor on an HPA whose annotation
 * was removed some time ago. The status of an HPA that is not managed is another controller's.
 */
export const leftAlone: CreateInvariant = (world) => {
  const { manageHpas } = autoscalerConfig(world.scenario.setup);
  const calm = createCalm(world, { ignored: usersFaults });
  const isAfterRestore = createAfterRestore(world);
  const released = createReleased(world, manageHpas);

  function follow({ event: { resource, object, previous } }: Observed<"written">): void {
    if (resource !== hpaResource) return;
    if (previous !== undefined && object.metadata.annotations === previous.metadata.annotations) return;
    released.note(object);
  }

  function isReleased(uid: string): boolean {
    const sinceMs = released.sinceMs(uid);
    if (sinceMs === undefined || calm.forMs() < deliveredMs) return false;
    return world.time.nowMs - sinceMs >= deliveredMs;
  }

  function ofDecision(decided: Decided): Outcome {
    const uid = decided.input.hpa.metadata?.uid ?? "";
    const reason =
      decided.input.hpa.kind === "WorkloadAutoscaler"
        ? reasonOfWla(decided, world)
        : isReleased(uid)
          ? "is not managed"
          : undefined;
    if (reason === undefined) return undefined;
    return (
      !isActive(decided) || `${decided.process} decides to scale by ${keyOfDecided(decided)}, which ${reason}`
    );
  }

  function ofRequest({ process, request }: Observed<"sent">): string | undefined {
    const named = hpaOfStatusWrite(request);
    if (named === undefined) return undefined;
    const stored = world.cluster.store.get(hpaResource, named.namespace, named.name);
    return stored !== undefined && isReleased(stored.metadata.uid ?? "")
      ? `${process} writes the status of ${named.namespace}/${named.name}, which is not managed`
      : undefined;
  }

  return {
    name: "left-alone",
    observe(observation) {
      calm.observe(observation);
      if (observation.kind === "written") follow(observation);
      if (isAfterRestore()) return undefined;
      if (observation.kind === "decided") return ofDecision(observation);
      return observation.kind === "sent" ? ofRequest(observation) : undefined;
    },
  };
};

/** Since when HPAs are not managed, by their uids. */
function createReleased({ cluster, time }: World, manageHpas: ManageHpas) {
  const releasedMs = new Map<string, number>();

  function note(object: StoredObject): void {
    const uid = object.metadata.uid ?? "";
    if (isManaged(object, manageHpas)) releasedMs.delete(uid);
    else if (!releasedMs.has(uid)) releasedMs.set(uid, time.nowMs);
  }

  // A restore brings annotations back without a write.
  cluster.onRestore(() => {
    releasedMs.clear();
    for (const object of cluster.store.list(hpaResource)) note(object);
  });
  return { note, sinceMs: (uid: string) => releasedMs.get(uid) };
}

export function isManaged({ metadata }: StoredObject, manageHpas: ManageHpas): boolean {
  return manageHpas === "all" || (manageHpas === "annotated" && metadata.annotations?.[managed] === "true");
}

/** Checked where the store has the very specification that was decided by. */
function reasonOfWla({ process, input }: Decided, { cluster, processes }: World): string | undefined {
  const { namespace = "", name = "", uid, generation } = input.hpa.metadata ?? {};
  const stored = cluster.store.get(wlaDefinition, namespace, name);
  if (stored === undefined || stored.metadata.uid !== uid || stored.metadata.generation !== generation)
    return undefined;
  const { mode = "Active", pause } = stored.spec as Wla;
  const nowMs = processes.get(process)?.clock.nowMs() ?? 0;
  const isOver = mode === "Paused" && pause?.until !== undefined && Date.parse(pause.until) <= nowMs;
  return mode === "Active" || isOver ? undefined : `has the mode ${mode}`;
}
