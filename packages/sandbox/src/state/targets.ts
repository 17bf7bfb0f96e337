// The families kube_deployment_*, kube_statefulset_* and kube_replicaset_*.
import type { FamilyCollector } from "../load/family.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { type AddGauge, gaugesOf } from "./gauge.ts";

interface Target extends StoredObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: {
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly availableReplicas?: number;
  };
}

export function targetFamilies(store: Pick<ObjectStore, "list">, out: FamilyCollector): void {
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
