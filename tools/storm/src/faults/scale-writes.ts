// An edit that comes while the replicas are being written.
import { minuteMs } from "@plimsoll/core/internal/values";
import type { Random } from "../random/random.ts";
import type { FaultKind } from "../run/world.ts";
import type { Setup, SetupObject } from "../scenario/scenario.ts";
import { detailsOf, pathOf } from "./autoscaling-objects.ts";
import { numberOf, spreadDuration, textOf } from "./details.ts";
import { patchAsUser } from "./user-request.ts";
import { workloadPath } from "./workloads.ts";

interface Spec {
  readonly scaleTargetRef?: { readonly kind: string; readonly name: string };
}

/** Where the scale of an object's target is; undefined where the target is not a workload. */
function scalePathOf({ metadata, spec }: SetupObject): string | undefined {
  const { kind = "", name = "" } = (spec as Spec | undefined)?.scaleTargetRef ?? {};
  const path = workloadPath({ kind, namespace: metadata.namespace ?? "default", name });
  return path === undefined ? undefined : `${path}/scale`;
}

function drawBody(random: Random, { kind }: SetupObject): object {
  const minReplicas = random.between(1, 4);
  const bounds = { minReplicas, maxReplicas: minReplicas + random.between(0, 8) };
  if (kind === "HorizontalPodAutoscaler") return { spec: bounds };
  const pause = { mode: "Paused", pause: { reason: "storm" } };
  return { spec: random.pick<object>([bounds, pause, { mode: "Shadow" }]) };
}

function draw(random: Random, { objects }: Setup): Readonly<Record<string, unknown>> | undefined {
  const [first, ...rest] = objects.filter((object) => scalePathOf(object) !== undefined);
  if (first === undefined) return undefined;
  const object = random.pick([first, ...rest]);
  return {
    ...detailsOf(object),
    scale: scalePathOf(object),
    body: drawBody(random, object),
    replicas: random.pick([1, 2, 5, 20]),
    readMs: spreadDuration(random.next(), 100, 10_000),
  };
}

export const scaleWriteFaults: Readonly<Record<string, FaultKind>> = {
  /**
   * A user scales the target, and edits its object while the next write of the replicas is refused for a conflict, so that
   * it waits until the scale was read again.
   */
  "edited-while-scaling": {
    draw,
    weight: 2,
    maxForMs: 10 * minuteMs,
    minForMs: minuteMs,
    begin({ cluster, network, time }, event) {
      const scale = textOf(event, "scale");
      const object = pathOf(event);
      let isEdited = false;
      const remove = network.add({
        ofRequest({ method, path }) {
          if (path !== scale) return undefined;
          if (method === "GET")
            return isEdited
              ? { type: "delay", requestMs: numberOf(event, "readMs"), responseMs: 1 }
              : undefined;
          if (isEdited) return undefined;
          isEdited = true;
          time.after(1, () => patchAsUser(cluster, object, event.details["body"]));
          return { type: "status", code: 409 };
        },
      });
      patchAsUser(cluster, scale, { spec: { replicas: numberOf(event, "replicas") } });
      return () => {
        remove();
        if (textOf(event, "object") === "WorkloadAutoscaler")
          patchAsUser(cluster, object, { spec: { mode: "Active", pause: null } });
      };
    },
  },
};
