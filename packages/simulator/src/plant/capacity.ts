import type { PodModel } from "../scenario.ts";

/** Requests that one pod can serve in a second: the lower of what its slots and its cpu limit allow. */
export function podCapacity(
  pod: Pick<PodModel, "concurrency" | "serviceTimeMs" | "limits" | "cpuPerRequest">,
): number {
  const bySlots = pod.concurrency / (pod.serviceTimeMs / 1000);
  const { cpu } = pod.limits;
  return cpu === undefined || pod.cpuPerRequest === 0 ? bySlots : Math.min(bySlots, cpu / pod.cpuPerRequest);
}
