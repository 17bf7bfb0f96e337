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
  const readySince = isReady(pod) ? podCondition(pod, "Ready")?.lastTransitionTime : undefined;
  const restarts = Math.max(0, ...(pod.status?.containerStatuses ?? []).map((one) => one.restartCount ?? 0));
  return [
    pod.spec?.nodeName === undefined ? 0 : 1,
    phaseRank[pod.status?.phase ?? "Pending"] ?? 1,
    isReady(pod) ? 1 : 0,
    Number(pod.metadata.annotations?.["controller.kubernetes.io/pod-deletion-cost"] ?? 0) || 0,
    readySince === undefined ? 0 : -Date.parse(readySince),
    -restarts,
    -Date.parse(pod.metadata.creationTimestamp ?? "1970-01-01T00:00:00Z"),
  ];
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [index, rank] of a.entries()) {
    const difference = rank - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
