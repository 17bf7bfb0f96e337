// Columns of Deployments, ReplicaSets, StatefulSets and HPAs.
import { numberAt, recordsAt, stringAt, valueAt } from "../storage/json-value.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { hpaTargets } from "./hpa-targets.ts";
import { ageSince } from "./human-duration.ts";
import { labelText, selectorText } from "./label-text.ts";
import { columns, type Printer } from "./table.ts";

/** @upstream pkg/printers/internalversion/printers.go#printDeployment */
export const deploymentPrinter: Printer = {
  columns: columns("Name", "Ready", "Up-to-date", "Available", "Age", "+Containers", "+Images", "+Selector"),
  cells: (object, { nowMs }) => [
    object.metadata.name,
    `${statusNumber(object, "readyReplicas")}/${specReplicas(object)}`,
    statusNumber(object, "updatedReplicas"),
    statusNumber(object, "availableReplicas"),
    ageSince(object.metadata.creationTimestamp, nowMs),
    ...templateCells(object),
    selectorText(valueAt(object, "spec", "selector")),
  ],
};

/** @upstream pkg/printers/internalversion/printers.go#printReplicaSet */
export const replicaSetPrinter: Printer = {
  columns: columns("Name", "#Desired", "#Current", "#Ready", "Age", "+Containers", "+Images", "+Selector"),
  cells: (object, { nowMs }) => [
    ...replicaCells(object, nowMs),
    selectorText(valueAt(object, "spec", "selector")),
  ],
};

export const replicationControllerPrinter: Printer = {
  columns: replicaSetPrinter.columns,
  cells: (object, { nowMs }) => [
    ...replicaCells(object, nowMs),
    labelText(valueAt(object, "spec", "selector")),
  ],
};

export const statefulSetPrinter: Printer = {
  columns: columns("Name", "Ready", "Age", "+Containers", "+Images"),
  cells: (object, { nowMs }) => [
    object.metadata.name,
    `${statusNumber(object, "readyReplicas")}/${specReplicas(object)}`,
    ageSince(object.metadata.creationTimestamp, nowMs),
    ...templateCells(object),
  ],
};

/** @upstream pkg/printers/internalversion/printers.go#printHorizontalPodAutoscaler */
export const hpaPrinter: Printer = {
  columns: columns("Name", "Reference", "Targets", "MinPods", "MaxPods", "Replicas", "Age"),
  cells: (object, { nowMs }) => {
    const min = numberAt(object, "spec", "minReplicas");
    const kind = stringAt(object, "spec", "scaleTargetRef", "kind") ?? "";
    return [
      object.metadata.name,
      `${kind}/${stringAt(object, "spec", "scaleTargetRef", "name") ?? ""}`,
      hpaTargets(object),
      min === undefined ? "<unset>" : String(min),
      numberAt(object, "spec", "maxReplicas") ?? 0,
      statusNumber(object, "currentReplicas"),
      ageSince(object.metadata.creationTimestamp, nowMs),
    ];
  },
};

function replicaCells(object: StoredObject, nowMs: number): readonly unknown[] {
  return [
    object.metadata.name,
    specReplicas(object),
    statusNumber(object, "replicas"),
    statusNumber(object, "readyReplicas"),
    ageSince(object.metadata.creationTimestamp, nowMs),
    ...templateCells(object),
  ];
}

function specReplicas(object: StoredObject): number {
  return numberAt(object, "spec", "replicas") ?? 0;
}

function statusNumber(object: StoredObject, field: string): number {
  return numberAt(object, "status", field) ?? 0;
}

function templateCells(object: StoredObject): readonly string[] {
  const containers = recordsAt(object, "spec", "template", "spec", "containers");
  const joined = (field: string): string => containers.map((one) => stringAt(one, field) ?? "").join(",");
  return [joined("name"), joined("image")];
}
