// A second controller of HorizontalPodAutoscalers that comes and goes: the built-in one, or another installation of ours.
import { minuteMs } from "@plimsoll/core/internal/values";
import type { StoredObject } from "@plimsoll/sandbox";
import type { Random } from "../random/random.ts";
import type { FaultKind, World } from "../run/world.ts";
import type { PlannedEvent, Setup } from "../scenario/scenario.ts";
import { detailsOf, drawObject, pathOf } from "./autoscaling-objects.ts";
import { numberOf, textOf } from "./details.ts";
import { sendAsUser } from "./user-request.ts";
import { workloadPath } from "./workloads.ts";

const resource = "horizontalpodautoscalers.autoscaling";

/** Who writes as whom. */
export const otherControllers = ["kube-controller-manager", "plimsoll-autoscaler"] as const;
export const otherControllerKind = "other-controller";

interface Spec {
  readonly scaleTargetRef: { readonly kind: string; readonly name: string };
}

function draw(random: Random, setup: Setup): Readonly<Record<string, unknown>> | undefined {
  const object = drawObject(random, setup, ["HorizontalPodAutoscaler"]);
  if (object === undefined) return undefined;
  return {
    ...detailsOf(object),
    manager: random.pick(otherControllers),
    everyMs: random.pick([15_000, 15_000, 15_000, 30_000]),
    replicas: random.between(1, 5),
    isScaling: random.chance(0.6),
  };
}

/** As this controller sees it, with a time that says when it last looked. */
function statusOf(count: number, { event, time }: { readonly event: PlannedEvent } & Pick<World, "time">) {
  const replicas = numberOf(event, "replicas");
  const at = new Date(time.nowMs).toISOString().replace(/\.\d+Z$/, "Z");
  const condition = (type: string, reason: string, message: string) => ({
    type,
    status: "True",
    reason,
    message,
    lastTransitionTime: at,
  });
  return {
    currentReplicas: replicas,
    desiredReplicas: replicas,
    conditions: [
      condition("AbleToScale", "ReadyForNewScale", "recommended size matches current size"),
      condition("ScalingActive", "ValidMetricFound", `the HPA was able to compute ${String(count)} times`),
    ],
  };
}

function writeStatus({ cluster, time }: World, event: PlannedEvent, count: number): boolean {
  const object = cluster.store.get(resource, textOf(event, "namespace"), textOf(event, "name"));
  if (object === undefined) return false;
  const body: StoredObject = { ...object, status: statusOf(count, { event, time }) };
  const manager = textOf(event, "manager");
  sendAsUser(cluster, {
    user: manager,
    method: "PUT",
    path: `${pathOf(event)}/status`,
    query: { fieldManager: manager },
    body: { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", ...body },
  });
  if (event.details["isScaling"] === true) writeScale(cluster, event, object.spec as Spec);
  return true;
}

function writeScale(cluster: World["cluster"], event: PlannedEvent, { scaleTargetRef }: Spec): void {
  const path = workloadPath({ ...scaleTargetRef, namespace: textOf(event, "namespace") });
  if (path === undefined) return;
  sendAsUser(cluster, {
    user: textOf(event, "manager"),
    method: "PATCH",
    path: `${path}/scale`,
    query: { fieldManager: textOf(event, "manager") },
    contentType: "application/merge-patch+json",
    body: { spec: { replicas: numberOf(event, "replicas") } },
  });
}

export const otherControllerFaults: Readonly<Record<string, FaultKind>> = {
  [otherControllerKind]: {
    draw,
    weight: 2,
    minForMs: 5000,
    maxForMs: 15 * minuteMs,
    begin(world, event) {
      let isOver = false;
      let count = 0;
      const act = (): void => {
        if (isOver) return;
        count += 1;
        writeStatus(world, event, count);
        world.time.after(numberOf(event, "everyMs"), act);
      };
      act();
      return () => void (isOver = true);
    },
  },
};
