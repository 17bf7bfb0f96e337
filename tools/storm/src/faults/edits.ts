// Edits at the moments at which they are most likely to be taken wrong.
import { minuteMs } from "@plimsoll/core/internal/values";
import type { Random } from "../random/random.ts";
import type { FaultKind, World } from "../run/world.ts";
import type { PlannedEvent, Setup, SetupObject } from "../scenario/scenario.ts";
import { detailsOf, pathOf } from "./autoscaling-objects.ts";
import { patchAsUser } from "./user-request.ts";

interface Spec {
  readonly metrics?: readonly unknown[];
  readonly scaleTargetRef?: { readonly kind: string; readonly name: string };
}

function specOf({ spec }: SetupObject): Spec {
  return spec ?? {};
}

function drawAmong(
  random: Random,
  objects: readonly SetupObject[],
  spec: (object: SetupObject) => object,
): Readonly<Record<string, unknown>> | undefined {
  const [first, ...rest] = objects;
  if (first === undefined) return undefined;
  const object = random.pick([first, ...rest]);
  return { ...detailsOf(object), body: { spec: spec(object) } };
}

function edit({ cluster }: World, event: PlannedEvent): void {
  patchAsUser(cluster, pathOf(event), event.details["body"]);
}

function hasSeveralMetrics(object: SetupObject): boolean {
  return object.kind === "WorkloadAutoscaler" && (specOf(object).metrics ?? []).length > 1;
}

/** HPAs whose bounds a WorkloadAutoscaler moves. */
function movedHpas({ objects }: Pick<Setup, "objects">): readonly SetupObject[] {
  return objects.filter(
    ({ kind, metadata }) =>
      kind === "HorizontalPodAutoscaler" &&
      objects.some((other) => {
        const { scaleTargetRef } = specOf(other);
        const isMover = other.kind === "WorkloadAutoscaler" && scaleTargetRef?.kind === kind;
        return (
          isMover && scaleTargetRef.name === metadata.name && other.metadata.namespace === metadata.namespace
        );
      }),
  );
}

export const editFaults: Readonly<Record<string, FaultKind>> = {
  /** The metrics change places while none of them can be read. */
  "metrics-edited-unread": {
    draw: (random, { objects }) =>
      drawAmong(random, objects.filter(hasSeveralMetrics), (object) => ({
        metrics: (specOf(object).metrics ?? []).toReversed(),
      })),
    maxForMs: 10 * minuteMs,
    begin(world, event) {
      const end = world.prometheus.add({ ofRequest: () => ({ type: "refused" }) });
      world.time.after(event.forMs / 2, () => edit(world, event));
      return end;
    },
  },
  /** The bounds that schedules move, or will move. */
  "bounds-edited": {
    draw: (random, setup) =>
      drawAmong(random, movedHpas(setup), () => {
        const minReplicas = random.between(1, 5);
        return random.chance(0.5) ? { minReplicas } : { maxReplicas: minReplicas + random.between(4, 9) };
      }),
    begin(world, event) {
      edit(world, event);
      return undefined;
    },
  },
};
