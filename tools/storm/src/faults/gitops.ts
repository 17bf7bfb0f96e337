// Clients that set the replicas of a workload beside its autoscaler: GitOps and Helm.
import { minuteMs } from "@plimsoll/core/internal/values";
import type { Random } from "../random/random.ts";
import type { FaultKind, World } from "../run/world.ts";
import type { PlannedEvent, Setup } from "../scenario/scenario.ts";
import { numberOf, spreadDuration, textOf } from "./details.ts";
import { sendAsUser } from "./user-request.ts";
import { drawWorkload, workloadOf } from "./workloads.ts";

function drawReset(random: Random, setup: Setup): Readonly<Record<string, unknown>> | undefined {
  const workload = drawWorkload(random, setup);
  if (workload === undefined) return undefined;
  return {
    ...workload,
    replicas: random.pick([1, 1, 1, 2, 3, 5]),
    /** selfHeal undoes each change; otherwise it applies every few minutes. */
    isSelfHealing: random.chance(0.5),
    everyMs: spreadDuration(random.next(), 20_000, 5 * minuteMs),
    healMs: spreadDuration(random.next(), 100, 10_000),
  };
}

/** Server-side apply of the replicas alone; of a workload that is gone, nothing. */
function applyReplicas({ cluster }: World, event: PlannedEvent, manager: string): void {
  const { namespace, name, path, resource } = workloadOf(event);
  if (cluster.store.get(resource, namespace, name) === undefined) return;
  sendAsUser(cluster, {
    user: manager,
    method: "PATCH",
    path,
    query: { fieldManager: manager, force: "true" },
    contentType: "application/apply-patch+json",
    body: {
      apiVersion: "apps/v1",
      kind: textOf(event, "workload"),
      metadata: { name, namespace },
      spec: { replicas: numberOf(event, "replicas") },
    },
  });
}

function replicasOf({ cluster: { store } }: World, event: PlannedEvent): number | undefined {
  const { namespace, name, resource } = workloadOf(event);
  return (store.get(resource, namespace, name)?.spec as { readonly replicas?: number } | undefined)?.replicas;
}

export const gitOpsFaults: Readonly<Record<string, FaultKind>> = {
  /** Argo CD, whose manifest has replicas. */
  "replicas-reset": {
    draw: drawReset,
    weight: 2,
    minForMs: minuteMs,
    maxForMs: 30 * minuteMs,
    begin(world, event) {
      const isHealing = event.details["isSelfHealing"] === true;
      let isOver = false;
      const apply = (): void => {
        if (!isOver) applyReplicas(world, event, "argocd-controller");
      };
      const every = (): void => {
        if (isOver) return;
        apply();
        world.time.after(numberOf(event, "everyMs"), every);
      };
      /** It watches the workload, and looks at it as often as is needed here. */
      const heal = (): void => {
        if (isOver) return;
        const replicas = replicasOf(world, event);
        if (replicas !== undefined && replicas !== numberOf(event, "replicas")) apply();
        world.time.after(numberOf(event, "healMs"), heal);
      };
      if (isHealing) heal();
      else every();
      return () => void (isOver = true);
    },
  },
  /** An upgrade of a release whose chart has replicas: once. */
  "replicas-upgraded": {
    draw: drawReset,
    begin(world, event) {
      applyReplicas(world, event, "helm");
      return undefined;
    },
  },
};
