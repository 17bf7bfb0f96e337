import { createReflector, type KubeObject } from "@plimsoll/kube";
import type { WorkloadLoad } from "@plimsoll/sandbox";
import type { Stage } from "./stages.ts";

/** A load on a queue, which is a metric of nothing in the cluster. */
export function queue(name: string, value: number): WorkloadLoad {
  return { namespace: "default", kind: "Queue", name, metric: "queue", points: [{ atMs: 0, value }] };
}

/** Messages that each replica is meant to carry. */
export const perReplica = 30;

/** A depth of which exactly so many replicas come, from whatever count. */
export function depthFor(replicas: number): number {
  return replicas * perReplica - 4;
}

/** An HPA that follows the depth of the queue of its name; every move is allowed at once. */
export function followsQueue(
  name: string,
  target: { apiVersion: string; kind: string; name?: string },
): string {
  return `---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: ${name}, namespace: default }
spec:
  scaleTargetRef: { apiVersion: ${target.apiVersion}, kind: ${target.kind}, name: ${target.name ?? name} }
  minReplicas: 1
  maxReplicas: 10
  metrics:
    - type: External
      external:
        metric: { name: queue_depth, selector: { matchLabels: { queue: ${name} } } }
        target: { type: AverageValue, averageValue: "${perReplica}" }
${behavior}`;
}

/** An HPA that follows a metric of the pods. */
export function followsPods(name: string, target: { apiVersion: string; kind: string }): string {
  return `---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: ${name}, namespace: default }
spec:
  scaleTargetRef: { apiVersion: ${target.apiVersion}, kind: ${target.kind}, name: ${name} }
  minReplicas: 1
  maxReplicas: 10
  metrics:
    - type: Pods
      pods:
        metric: { name: packets-per-second }
        target: { type: AverageValue, averageValue: "${perReplica}" }
${behavior}`;
}

const behavior = `  behavior:
    scaleUp: { stabilizationWindowSeconds: 0, policies: [{ type: Pods, value: 10, periodSeconds: 1 }] }
    scaleDown: { policies: [{ type: Pods, value: 10, periodSeconds: 1 }] }
`;

/** One of apps/v1, with one replica at first. */
export function workload(kind: "Deployment" | "StatefulSet" | "ReplicaSet", name: string): string {
  const more = kind === "StatefulSet" ? `  serviceName: ${name}\n  podManagementPolicy: Parallel\n` : "";
  return `---
apiVersion: apps/v1
kind: ${kind}
metadata: { name: ${name}, namespace: default, annotations: { sandbox.plimsoll.dev/ready-delay: 1s } }
spec:
  replicas: 1
${more}  selector: { matchLabels: { app: ${name} } }
${template(name)}`;
}

function template(name: string): string {
  return `  template:
    metadata: { labels: { app: ${name} } }
    spec: { containers: [{ name: main, image: "registry.example/main:1", resources: { requests: { cpu: 500m } } }] }
`;
}

export function replicationController(name: string): string {
  return `---
apiVersion: v1
kind: ReplicationController
metadata: { name: ${name}, namespace: default, annotations: { sandbox.plimsoll.dev/ready-delay: 1s } }
spec:
  replicas: 1
  selector: { app: ${name} }
${template(name)}`;
}

/** A kind with /scale whose objects keep the selector of their pods at this path. */
export function scalableKind(kind: string, selectorPath: string | undefined): string {
  const plural = `${kind.toLowerCase()}s`;
  const selector = selectorPath === undefined ? "" : `, labelSelectorPath: ${selectorPath}`;
  return `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ${plural}.e2e.example }
spec:
  group: e2e.example
  scope: Namespaced
  names: { kind: ${kind}, plural: ${plural}, singular: ${kind.toLowerCase()} }
  versions:
    - name: v1
      served: true
      storage: true
      subresources:
        status: {}
        scale: { specReplicasPath: .spec.size, statusReplicasPath: .status.size${selector} }
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: { type: object, properties: { size: { type: integer }, selector: { type: string } } }
            status: { type: object, properties: { size: { type: integer }, selector: { type: string } } }
`;
}

interface Custom extends KubeObject {
  readonly spec: { readonly size: number };
}

/**
 * Plays the controller of a custom resource: the ReplicaSet of its name gets its count, and its status the count and
 * the selector.
 */
export async function playController(
  stage: Stage,
  plural: string,
  own: string,
): Promise<{ stop(): Promise<void> }> {
  const path = `/apis/e2e.example/v1/${plural}`;
  const failures: unknown[] = [];
  const reflector = createReflector<Custom>({
    client: stage.client,
    path,
    query: { fieldSelector: `metadata.name=${own}` },
    onError: (error) => failures.push(error),
  });
  const patch = (to: string, body: object) =>
    stage.client.request({
      method: "PATCH",
      path: to,
      contentType: "application/merge-patch+json",
      body,
    });
  const follow = async ({ metadata: { name }, spec: { size } }: Custom) => {
    await patch(`/apis/apps/v1/namespaces/default/replicasets/${name}`, { spec: { replicas: size } });
    await patch(`/apis/e2e.example/v1/namespaces/default/${plural}/${name}/status`, {
      status: { size, selector: `app=${name}` },
    });
  };
  let working = Promise.resolve();
  reflector.subscribe(({ type, object }) => {
    if (type === "deleted") return;
    working = working.then(() => follow(object)).catch((error: unknown) => void failures.push(error));
  });
  reflector.start();
  await reflector.synced();
  return {
    async stop() {
      await reflector.stop();
      await working;
      if (failures.length > 0) throw new AggregateError(failures, `the controller of ${plural} had trouble`);
    },
  };
}
