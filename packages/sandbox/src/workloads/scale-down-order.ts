import { isReady, type Pod, podCondition } from "./pod.ts";

const phaseRank: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/**
 * The pods in the order in which a scale-down takes them: without a node, not running, not ready, cheapest to
 * delete, ready for the shortest time, most restarts, newest.
 * @upstream pkg/controller/controller_utils.go#ActivePodsWithRanks
 */
export function scaleDownOrder(pods: readonly Pod[]): readonly Pod[] {
  return pods
    .map((pod) => ({ pod, rank: rankOf(pod) }))
    .sort((a, b) => compareRanks(a.rank, b.rank) || (a.pod.metadata.name < b.pod.metadata.name ? 1 : -1))
    .map(({ pod }) => pod);
}

function rankOf(pod: Pod): readonly number[] {
  return [
    pod.spec?.nodeName === undefined ? 0 : 1,
    phaseRank[pod.status?.phase ?? "Pending"] ?? 1,
    isReady(pod) ? 1 : 0,
    deletionCost(pod),
    -readySinceMs(pod),
    -Math.max(0, ...(pod.status?.containerStatuses ?? []).map((one) => one.restartCount ?? 0)),
    -Date.parse(pod.metadata.creationTimestamp ?? "1970-01-01T00:00:00Z"),
  ];
}

function deletionCost({ metadata }: Pod): number {
  return Number(metadata.annotations?.["controller.kubernetes.io/pod-deletion-cost"] ?? 0) || 0;
}

/** 0 for a pod that is not ready. */
function readySinceMs(pod: Pod): number {
  const since = isReady(pod) ? podCondition(pod, "Ready")?.lastTransitionTime : undefined;
  return since === undefined ? 0 : Date.parse(since);
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [index, rank] of a.entries()) {
    const difference = rank - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
