// The kinds that the doctor lists, and what is kept of their objects.
import { type Fields, fieldsOf } from "@plimsoll/core/internal/values";
import { at, type FactName, listOf } from "@plimsoll/doctor";

export interface Kind {
  readonly group: string;
  readonly resource: string;
  /** It has no namespaces. */
  readonly isOfCluster?: true;
  readonly query?: Readonly<Record<string, string>>;
}

function kind(group: string, resource: string): Kind {
  return { group, resource };
}

/** The facts that are lists of objects as they are. */
export const listedFacts = {
  scaledObjects: kind("keda.sh", "scaledobjects"),
  datadogAutoscalers: kind("datadoghq.com", "datadogpodautoscalers"),
  deployments: kind("apps", "deployments"),
  cronHpas: kind("autoscaling.alibabacloud.com", "cronhorizontalpodautoscalers"),
  rollouts: kind("argoproj.io", "rollouts"),
  vpas: kind("autoscaling.k8s.io", "verticalpodautoscalers"),
  pdbs: kind("policy", "poddisruptionbudgets"),
  quotas: kind("", "resourcequotas"),
  events: kind("", "events"),
  nodes: { group: "", resource: "nodes", isOfCluster: true },
  apiServices: { group: "apiregistration.k8s.io", resource: "apiservices", isOfCluster: true },
} as const satisfies Partial<Record<FactName, Kind>>;

export type ListedFact = keyof typeof listedFacts;

export const otherKinds = {
  hpas: kind("autoscaling", "horizontalpodautoscalers"),
  wlas: kind("autoscaling.plimsoll.dev", "workloadautoscalers"),
  statefulSets: kind("apps", "statefulsets"),
  pods: kind("", "pods"),
  metricRules: kind("autoscaling.plimsoll.dev", "metricrules"),
} as const;

/** Pods and nodes are many and large: only what rules look at is kept of them. */
export function trimmed({ resource }: Kind, object: Fields): Fields {
  if (resource === "pods") return pod(object);
  if (resource === "nodes") return node(object);
  return object;
}

function pick(value: unknown, fields: readonly string[]): Fields {
  const source = fieldsOf(value);
  return Object.fromEntries(fields.flatMap((field) => (field in source ? [[field, source[field]]] : [])));
}

const metadata = ["name", "namespace", "labels", "ownerReferences", "creationTimestamp", "deletionTimestamp"];

function pod(object: Fields): Fields {
  const spec = at(object, "spec");
  const containers = (field: string) =>
    listOf(at(spec, field)).map((container) =>
      pick(container, ["name", "restartPolicy", "resources", "ports"]),
    );
  return {
    kind: object["kind"],
    metadata: pick(object["metadata"], metadata),
    spec: {
      ...pick(spec, ["resources", "overhead", "hostNetwork"]),
      containers: containers("containers"),
      initContainers: containers("initContainers"),
    },
    status: pick(object["status"], [
      "phase",
      "startTime",
      "conditions",
      "containerStatuses",
      "initContainerStatuses",
    ]),
  };
}

function node(object: Fields): Fields {
  return {
    kind: object["kind"],
    metadata: pick(object["metadata"], ["name", "labels"]),
    status: pick(object["status"], ["allocatable"]),
  };
}
