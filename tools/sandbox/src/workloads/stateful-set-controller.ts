// The StatefulSet controller.
import { claimName } from "./adopt.ts";
import type { ControllerContext } from "./controller-context.ts";
import { isActive, isReady, isTerminating, type Pod } from "./pod.ts";
import { countPods } from "./pod-counts.ts";
import { templateHash } from "./template-hash.ts";
import { replicasOf, type Workload } from "./workload.ts";

const resource = "statefulsets.apps";
const revisionLabel = "controller-revision-hash";

/** Pods NAME-0, NAME-1 and so on: made in order, each when the one before is Ready; ended in reverse order. */
export function syncStatefulSet(
  context: ControllerContext,
  key: { namespace: string | undefined; name: string },
): void {
  const set = context.store.get(resource, key.namespace, key.name) as Workload | undefined;
  if (set?.spec?.template === undefined) return;
  if (set.metadata.deletionTimestamp === undefined) {
    if (set.spec["podManagementPolicy"] === "Parallel") adjustAtOnce(context, set);
    else adjustInOrder(context, set);
  }
  writeStatus(context, set);
}

function podsByOrdinal(context: ControllerContext, set: Workload): ReadonlyMap<number, Pod> {
  const pods = context.index.dependents(set.metadata.uid, "pods") as readonly Pod[];
  return new Map(
    pods
      .map((pod) => [ordinalOf(set, pod), pod] as const)
      .filter(([ordinal]) => ordinal >= 0)
      .toSorted(([a], [b]) => a - b),
  );
}

function ordinalOf(set: Workload, pod: Pod): number {
  const prefix = `${set.metadata.name}-`;
  const rest = pod.metadata.name.startsWith(prefix) ? pod.metadata.name.slice(prefix.length) : "";
  return /^\d+$/.test(rest) ? Number(rest) : -1;
}

function revisionOf(set: Workload): string {
  return `${set.metadata.name}-${templateHash(set.spec?.template)}`;
}

function createPod(context: ControllerContext, set: Workload, ordinal: number): void {
  const name = `${set.metadata.name}-${ordinal}`;
  if (claimName(context, { ownerResource: resource, owner: set, resource: "pods", name })) return;
  context.pods.create({
    ownerResource: resource,
    owner: set,
    template: set.spec?.template,
    name,
    labels: {
      [revisionLabel]: revisionOf(set),
      "statefulset.kubernetes.io/pod-name": name,
      "apps.kubernetes.io/pod-index": String(ordinal),
    },
  });
}

function adjustInOrder(context: ControllerContext, set: Workload): void {
  const pods = podsByOrdinal(context, set);
  const wanted = replicasOf(set);
  for (let ordinal = 0; ordinal < wanted; ordinal += 1) {
    const pod = pods.get(ordinal);
    if (pod === undefined) {
      createPod(context, set, ordinal);
      return;
    }
    if (!isActive(pod) || !isReady(pod)) {
      if (pod.status?.phase === "Failed" && !isTerminating(pod)) context.pods.terminate(pod);
      // An outdated pod that never becomes Ready must not hold up its own replacement.
      else if (!isTerminating(pod)) replaceOutdated(context, set, [pod]);
      return;
    }
  }
  const last = [...pods].at(-1);
  if (last !== undefined && last[0] >= wanted) {
    if (!isTerminating(last[1])) context.pods.terminate(last[1]);
    return;
  }
  replaceOutdated(context, set, [...pods.values()]);
}

function adjustAtOnce(context: ControllerContext, set: Workload): void {
  const pods = podsByOrdinal(context, set);
  const wanted = replicasOf(set);
  for (let ordinal = 0; ordinal < wanted; ordinal += 1) {
    if (!pods.has(ordinal)) createPod(context, set, ordinal);
  }
  for (const [ordinal, pod] of pods) {
    if (ordinal >= wanted && !isTerminating(pod)) context.pods.terminate(pod);
  }
  const kept = [...pods].filter(([ordinal]) => ordinal < wanted).map(([, pod]) => pod);
  if (kept.length === wanted && kept.every((pod) => isActive(pod) && isReady(pod))) {
    replaceOutdated(context, set, kept);
  }
}

/** Ends the highest outdated pod at or above the partition; its place is filled with the new template. */
function replaceOutdated(context: ControllerContext, set: Workload, pods: readonly Pod[]): void {
  const strategy = (set.spec?.["updateStrategy"] ?? {}) as {
    readonly type?: string;
    readonly rollingUpdate?: { readonly partition?: number };
  };
  if (strategy.type === "OnDelete") return;
  const partition = strategy.rollingUpdate?.partition ?? 0;
  const revision = revisionOf(set);
  const outdated = pods.findLast(
    (pod) => ordinalOf(set, pod) >= partition && pod.metadata.labels?.[revisionLabel] !== revision,
  );
  if (outdated !== undefined) context.pods.terminate(outdated);
}

function writeStatus(context: ControllerContext, set: Workload): void {
  const pods = [...podsByOrdinal(context, set).values()];
  const active = pods.filter(isActive);
  const counts = countPods(active, set.spec?.minReadySeconds ?? 0, context.clock.nowMs());
  if (counts.nextAvailableInMs !== undefined) context.requeueAfter(resource, set, counts.nextAvailableInMs);
  const updateRevision = revisionOf(set);
  const updated = active.filter((pod) => pod.metadata.labels?.[revisionLabel] === updateRevision).length;
  const isComplete =
    updated === active.length && counts.ready === active.length && updated === replicasOf(set);
  const before = set.status?.["currentRevision"];
  const currentRevision = isComplete || typeof before !== "string" ? updateRevision : before;
  const current = active.filter((pod) => pod.metadata.labels?.[revisionLabel] === currentRevision).length;
  context.store.update(resource, {
    ...set,
    status: {
      observedGeneration: set.metadata.generation ?? 1,
      replicas: pods.length,
      availableReplicas: counts.available,
      ...(counts.ready === 0 ? {} : { readyReplicas: counts.ready }),
      ...(current === 0 ? {} : { currentReplicas: current }),
      ...(updated === 0 ? {} : { updatedReplicas: updated }),
      currentRevision,
      updateRevision,
      collisionCount: 0,
    },
  });
}
