import type { ReplicaBounds } from "@plimsoll/core";
import { groupOfApiVersion } from "@plimsoll/core/cronhpa";
import { fieldsOf, textOf } from "@plimsoll/core/internal/values";
import { namespaceOf, type SourceObject } from "./source.ts";

interface HpaName {
  readonly namespace: string;
  readonly name: string;
}

/** A HorizontalPodAutoscaler of the files. */
function findHpa(all: readonly SourceObject[], { namespace, name }: HpaName): SourceObject | undefined {
  return all.find(
    (one) =>
      one.kind === "HorizontalPodAutoscaler" &&
      fieldsOf(one.value["metadata"])["name"] === name &&
      namespaceOf(one) === (namespace || "default"),
  );
}

/** The bounds of a HorizontalPodAutoscaler that the files have; undefined when they do not say. */
export function hpaBounds(all: readonly SourceObject[], of: HpaName): ReplicaBounds | undefined {
  const { minReplicas = 1, maxReplicas } = fieldsOf(findHpa(all, of)?.value["spec"]);
  if (typeof minReplicas !== "number" || typeof maxReplicas !== "number") return undefined;
  return { minReplicas, maxReplicas };
}

/** The HPA of the files that the jobs are about: their target, or one that scales the same workload. */
export function hpaOf(cronHpa: SourceObject, all: readonly SourceObject[]): SourceObject | undefined {
  const { kind, name } = fieldsOf(fieldsOf(cronHpa.value["spec"])["scaleTargetRef"]);
  if (kind === "HorizontalPodAutoscaler")
    return findHpa(all, { namespace: namespaceOf(cronHpa), name: textOf(name) });
  return all.find((one) => one.kind === "HorizontalPodAutoscaler" && targetOf(one) === targetOf(cronHpa));
}

function targetOf(source: SourceObject): string {
  const { apiVersion, kind, name } = fieldsOf(fieldsOf(source.value["spec"])["scaleTargetRef"]);
  const group = groupOfApiVersion(successorOf(apiVersion, kind)?.[1] ?? textOf(apiVersion));
  return JSON.stringify([namespaceOf(source), group, kind, name]);
}

const successors = [
  [/^(?:extensions|apps)\/v1beta\d (?:Deployment|StatefulSet|ReplicaSet|DaemonSet)$/, "apps/v1", "1.16"],
  [/^(?:extensions|networking\.k8s\.io)\/v1beta1 Ingress$/, "networking.k8s.io/v1", "1.22"],
] as const;

/** The version that took the place of a former one, and the Kubernetes that ended it; undefined for all others. */
export function successorOf(apiVersion: unknown, kind: unknown) {
  return successors.find(([former]) => former.test(`${String(apiVersion)} ${String(kind)}`));
}
