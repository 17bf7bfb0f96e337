// What kube-state-metrics exports of autoscalers, their targets and pods: those families that a backtest reads.

import { approximateFloat, parseQuantity } from "@plimsoll/core/quantity";
import { createFamilyCollector, type Family, type FamilyCollector } from "../load/family.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { type ContainerSpec, type Pod, podCondition } from "../workloads/pod.ts";
import { autoscalerFamilies } from "./autoscalers.ts";
import { type AddGauge, conditionGauges, gaugesOf, secondsOf } from "./gauge.ts";

/** Every series at this moment, under the names and labels of kube-state-metrics v2.18. */
export function stateFamilies(store: Pick<ObjectStore, "list">): readonly Family[] {
  const out = createFamilyCollector();
  autoscalerFamilies(store.list("horizontalpodautoscalers.autoscaling"), out);
  targetFamilies(store, out);
  podFamilies(store.list("pods"), out);
  return out.families();
}

const phases = ["Pending", "Succeeded", "Failed", "Unknown", "Running"];

function podFamilies(objects: readonly StoredObject[], out: FamilyCollector): void {
  for (const pod of objects as readonly Pod[]) {
    const { metadata, status } = pod;
    const add = gaugesOf(metadata, "pod", { out, prefix: "kube_pod_", own: { uid: metadata.uid ?? "" } });
    add("created", secondsOf(metadata.creationTimestamp));
    add("start_time", secondsOf(status?.startTime));
    add("deletion_timestamp", secondsOf(metadata.deletionTimestamp));
    for (const phase of phases) add("status_phase", status?.phase === phase ? 1 : 0, { phase });
    const ready = podCondition(pod, "Ready");
    if (ready !== undefined) {
      conditionGauges((value, condition) => add("status_ready", value, { condition }), ready.status);
      // Of either status, as there.
      add("status_ready_time", secondsOf(ready.lastTransitionTime));
    }
    owners(add, pod);
    for (const container of pod.spec?.containers ?? []) requests(add, container, pod.spec?.nodeName ?? "");
  }
}

function owners(add: AddGauge, { metadata }: Pod): void {
  const all = metadata.ownerReferences ?? [];
  if (all.length === 0) add("owner", 1, { owner_kind: "", owner_name: "", owner_is_controller: "" });
  for (const { kind, name, controller } of all)
    add("owner", 1, { owner_kind: kind, owner_name: name, owner_is_controller: String(controller === true) });
}

const units: Readonly<Record<string, string>> = { cpu: "core", memory: "byte" };

interface WithRequests {
  readonly requests?: Readonly<Record<string, string | number>>;
}

function requests(add: AddGauge, { name, ...container }: ContainerSpec, node: string): void {
  const { requests: given = {} } = (container["resources"] ?? {}) as WithRequests;
  for (const [resource, quantity] of Object.entries(given)) {
    const unit = units[resource];
    if (unit === undefined) continue;
    const value = approximateFloat(parseQuantity(String(quantity)));
    add("container_resource_requests", value, { container: name, node, resource, unit });
  }
}

interface Target extends StoredObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: {
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly availableReplicas?: number;
  };
}

function targetFamilies(store: Pick<ObjectStore, "list">, out: FamilyCollector): void {
  for (const target of store.list("deployments.apps") as readonly Target[]) {
    const add = gaugesOf(target.metadata, "deployment", { out, prefix: "kube_deployment_" });
    counts(add, target);
    add("spec_replicas", target.spec?.replicas ?? 1);
    add("status_replicas_available", target.status?.availableReplicas ?? 0);
  }
  for (const target of store.list("statefulsets.apps") as readonly Target[]) {
    const add = gaugesOf(target.metadata, "statefulset", { out, prefix: "kube_statefulset_" });
    counts(add, target);
    add("replicas", target.spec?.replicas ?? 1);
    add("status_replicas_available", target.status?.availableReplicas ?? 0);
  }
  for (const target of store.list("replicasets.apps") as readonly Target[]) {
    const add = gaugesOf(target.metadata, "replicaset", { out, prefix: "kube_replicaset_" });
    counts(add, target);
    add("spec_replicas", target.spec?.replicas ?? 1);
  }
}

function counts(add: AddGauge, { metadata, status }: Target): void {
  add("metadata_generation", metadata.generation);
  add("status_replicas", status?.replicas ?? 0);
  add("status_replicas_ready", status?.readyReplicas ?? 0);
}
