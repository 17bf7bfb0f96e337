// Revisions of a Deployment's ReplicaSets.
import type { StoredObject } from "../storage/stored-object.ts";
import { templateHash } from "./template-hash.ts";
import { controllerReference, type Workload } from "./workload.ts";

export const revisionAnnotation = "deployment.kubernetes.io/revision";
const hashLabel = "pod-template-hash";

/** The ReplicaSet that carries the Deployment's present template. */
export function findCurrent(deployment: Workload, replicaSets: readonly Workload[]): Workload | undefined {
  const hash = templateHash(deployment.spec?.template);
  return replicaSets.find((one) => one.metadata.labels?.[hashLabel] === hash);
}

export function currentRevision(replicaSet: Workload): number {
  return Number(replicaSet.metadata.annotations?.[revisionAnnotation] ?? 0) || 0;
}

export function oldestFirst(replicaSets: readonly Workload[]): readonly Workload[] {
  return replicaSets.toSorted((a, b) => currentRevision(a) - currentRevision(b));
}

/** An empty ReplicaSet for the Deployment's present template. */
export function newReplicaSet(deployment: Workload, others: readonly Workload[]): StoredObject {
  const { namespace } = deployment.metadata;
  const template = deployment.spec?.template;
  const hash = templateHash(template);
  const labels = { ...template?.metadata?.labels, [hashLabel]: hash };
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      ...(namespace === undefined ? {} : { namespace }),
      labels,
      annotations: { [revisionAnnotation]: String(Math.max(0, ...others.map(currentRevision)) + 1) },
      ownerReferences: [controllerReference("deployments.apps", deployment)],
    },
    spec: {
      replicas: 0,
      ...(deployment.spec?.minReadySeconds === undefined
        ? {}
        : { minReadySeconds: deployment.spec.minReadySeconds }),
      selector: selectorWithHash(deployment.spec?.selector, hash),
      template: { ...template, metadata: { ...template?.metadata, labels } },
    },
    status: { replicas: 0 },
  };
}

function selectorWithHash(selector: unknown, hash: string): unknown {
  const before = typeof selector === "object" && selector !== null ? selector : {};
  const labels = "matchLabels" in before && typeof before.matchLabels === "object" ? before.matchLabels : {};
  return { ...before, matchLabels: { ...labels, [hashLabel]: hash } };
}
