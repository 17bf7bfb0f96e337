// Makes some pods ready or not.
import type { Pod, PodsReading } from "@plimsoll/core";

/** How many pods have no condition Ready that is True. */
export function unreadyCount(pods: PodsReading): number {
  return pods.ok ? pods.pods.filter((pod) => !isReady(pod)).length : 0;
}

/** So many pods are not ready: those that were not come first, then the last ones. */
export function withUnready(pods: PodsReading, count: number): PodsReading {
  if (!pods.ok) return pods;
  const list = pods.pods;
  const byOrder = list
    .map((pod, index) => ({ index, isReady: isReady(pod) }))
    .sort((one, other) => Number(one.isReady) - Number(other.isReady) || other.index - one.index);
  const unready = new Set(byOrder.slice(0, count).map(({ index }) => index));
  return { ok: true, pods: list.map((pod, index) => withReady(pod, !unready.has(index))) };
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true;
}

/** One that is not ready has not been since its start; one that is has been since then. */
function withReady(pod: Pod, ready: boolean): Pod {
  if (isReady(pod) === ready) return pod;
  const { metadata, spec, status } = pod;
  const condition = {
    type: "Ready",
    status: ready ? "True" : "False",
    lastTransitionTime: status?.startTime,
  };
  const others = (status?.conditions ?? []).filter(({ type }) => type !== "Ready");
  return { metadata, spec, status: { ...status, conditions: [...others, condition] } };
}
