// The families kube_pod_*.
import { approximateFloat, parseQuantity } from "@plimsoll/core/quantity";
import type { FamilyCollector } from "../load/family.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { type ContainerSpec, type Pod, podCondition } from "../workloads/pod.ts";
import { type AddGauge, conditionGauges, gaugesOf, secondsOf } from "./gauge.ts";

const phases = ["Pending", "Succeeded", "Failed", "Unknown", "Running"];

export function podFamilies(objects: readonly StoredObject[], out: FamilyCollector): void {
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
