// Checks every write of replicas as it is stored.
import type { StoredObject, StoreEvent } from "@plimsoll/sandbox";
import { type Claimant, createWriteCheck } from "./invariants.ts";
import { cronTargets, namespace } from "./manifests.ts";
import { periodMs, type SoakStack } from "./stack.ts";

/** A decision may be under way for so long when its object changes. */
const graceMs = periodMs + 2000;
const deployments = "deployments.apps";
const scalers = ["horizontalpodautoscalers.autoscaling", "workloadautoscalers.autoscaling.plimsoll.dev"];
const cronHpas = "cronhorizontalpodautoscalers.autoscaling.alibabacloud.com";
const nowMs = () => performance.now();

export interface ClusterReport {
  /** The replicas of a Deployment were written; with what is wrong about it. */
  readonly written: (deployment: string, findings: readonly string[]) => void;
  /** An object that scales is gone, its finalizers included. */
  readonly gone: (name: string) => void;
}

/** @returns what ends it */
export function watchCluster(stack: SoakStack, report: ClusterReport): () => void {
  const check = createWriteCheck(graceMs);
  const claimsChanged = (target: string | undefined) => {
    if (target !== undefined) check.claimed(target, claimantsOf(stack, target), nowMs());
  };
  const deploymentChanged = ({ object, previous }: StoreEvent) => {
    const { name } = object.metadata;
    const replicas = replicasOf(object);
    if (previous === undefined || replicas === replicasOf(previous)) return;
    if (cronTargets.includes(name)) return report.written(name, []);
    const { writers } = stack;
    const write = { target: name, replicas, writer: writers.ofScale(name), leader: writers.leader() };
    report.written(name, check.written({ ...write, atMs: nowMs() }));
  };
  return stack.store.subscribe((event) => {
    const { resource, object, previous, type } = event;
    if (object.metadata.namespace !== namespace) return;
    if (type === "DELETED" && (scalers.includes(resource) || resource === cronHpas))
      report.gone(object.metadata.name);
    if (scalers.includes(resource))
      for (const target of new Set([targetOf(object), targetOf(previous)])) claimsChanged(target);
    if (resource === deployments && type === "MODIFIED") deploymentChanged(event);
  });
}

function claimantsOf(stack: SoakStack, target: string): readonly Claimant[] {
  return scalers.flatMap((resource) =>
    stack.store
      .list(resource, namespace)
      .filter((object) => targetOf(object) === target && isActive(object))
      .map((object) => {
        const { minReplicas = 1, maxReplicas = 0 } = specOf(object);
        return { name: object.metadata.name, minReplicas, maxReplicas };
      }),
  );
}

interface ScalerSpec {
  readonly scaleTargetRef?: { readonly kind?: string; readonly name?: string };
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
  readonly mode?: string;
  readonly replicas?: number;
}

function isActive(object: StoredObject): boolean {
  return object.metadata.deletionTimestamp === undefined && (specOf(object).mode ?? "Active") === "Active";
}

/** The Deployment that an object scales. */
function targetOf(object: StoredObject | undefined): string | undefined {
  const target = object === undefined ? undefined : specOf(object).scaleTargetRef;
  return target?.kind === "Deployment" ? target.name : undefined;
}

function specOf({ spec }: StoredObject): ScalerSpec {
  return spec ?? {};
}

function replicasOf(object: StoredObject): number {
  return specOf(object).replicas ?? 1;
}
