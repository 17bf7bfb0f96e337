// Columns of kubectl get for Namespaces, Nodes, Leases, APIServices and CustomResourceDefinitions.
import { recordAt, recordsAt, stringAt, valueAt } from "../storage/json-value.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { ageSince } from "./human-duration.ts";
import { columns, type Printer } from "./table.ts";

export const namespacePrinter: Printer = {
  columns: columns("Name", "Status", "Age"),
  cells: (object, { nowMs }) => [
    object.metadata.name,
    stringAt(object, "status", "phase") ?? "",
    ageSince(object.metadata.creationTimestamp, nowMs),
  ],
};

/** @upstream pkg/printers/internalversion/printers.go#printNode */
export const nodePrinter: Printer = {
  columns: columns(
    "Name",
    "Status",
    "Roles",
    "Age",
    "Version",
    "+Internal-IP",
    "+External-IP",
    "+OS-Image",
    "+Kernel-Version",
    "+Container-Runtime",
  ),
  cells: (object, { nowMs }) => {
    const info = recordAt(object, "status", "nodeInfo");
    return [
      object.metadata.name,
      nodeStatus(object),
      nodeRoles(object),
      ageSince(object.metadata.creationTimestamp, nowMs),
      stringAt(info, "kubeletVersion") ?? "",
      nodeAddress(object, "InternalIP"),
      nodeAddress(object, "ExternalIP"),
      stringAt(info, "osImage") || "<unknown>",
      stringAt(info, "kernelVersion") || "<unknown>",
      stringAt(info, "containerRuntimeVersion") || "<unknown>",
    ];
  },
};

export const leasePrinter: Printer = {
  columns: columns("Name", "Holder", "Age"),
  cells: (object, { nowMs }) => [
    object.metadata.name,
    stringAt(object, "spec", "holderIdentity") ?? "",
    ageSince(object.metadata.creationTimestamp, nowMs),
  ],
};

/** @upstream kube-aggregator/pkg/registry/apiservice/etcd/etcd.go#ConvertToTable */
export const apiServicePrinter: Printer = {
  columns: columns("Name", "Service", "Available", "Age"),
  cells: (object, { nowMs }) => {
    const service = recordAt(object, "spec", "service");
    const available = conditionOf(object, "Available");
    const status = stringAt(available, "status") ?? "Unknown";
    return [
      object.metadata.name,
      service === undefined
        ? "Local"
        : `${stringAt(service, "namespace") ?? ""}/${stringAt(service, "name") ?? ""}`,
      available === undefined || status === "True"
        ? status
        : `${status} (${stringAt(available, "reason") ?? ""})`,
      ageSince(object.metadata.creationTimestamp, nowMs),
    ];
  },
};

export const definitionPrinter: Printer = {
  columns: columns("Name", "Created At"),
  cells: (object) => [object.metadata.name, object.metadata.creationTimestamp ?? "<unknown>"],
};

function nodeStatus(node: StoredObject): string {
  const ready = stringAt(conditionOf(node, "Ready"), "status");
  const readiness = ready === undefined ? "Unknown" : ready === "True" ? "Ready" : "NotReady";
  return valueAt(node, "spec", "unschedulable") === true ? `${readiness},SchedulingDisabled` : readiness;
}

function nodeRoles(node: StoredObject): string {
  const roles = Object.entries(node.metadata.labels ?? {}).flatMap(([key, value]) => {
    if (key.startsWith("node-role.kubernetes.io/")) return [key.slice("node-role.kubernetes.io/".length)];
    return key === "kubernetes.io/role" ? [value] : [];
  });
  const named = roles.filter((role) => role !== "").toSorted((a, b) => (a < b ? -1 : 1));
  return named.join(",") || "<none>";
}

function nodeAddress(node: StoredObject, type: string): string {
  const found = recordsAt(node, "status", "addresses").find((one) => stringAt(one, "type") === type);
  return stringAt(found, "address") ?? "<none>";
}

function conditionOf(object: StoredObject, type: string) {
  return recordsAt(object, "status", "conditions").find((one) => stringAt(one, "type") === type);
}
