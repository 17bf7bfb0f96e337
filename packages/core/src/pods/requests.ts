import { add, type Int64, int64 } from "../number/int64.ts";
import { milliValue } from "../quantity/convert.ts";
import { milliOf } from "../quantity/milli.ts";
import type { Container, Pod } from "../spec/pod.ts";
import { textOf } from "../spec/text.ts";
import { hasPodLevelRequests, podLevelRequest } from "./pod-level-requests.ts";
import { containersOf, podName } from "./view.ts";

export interface RequestQuery {
  readonly resource: string;
  /** Only this container; empty means the whole pod. */
  readonly container: string;
  readonly usePodLevel: boolean;
  /** A pod without the container requests nothing of it, instead of failing. */
  readonly allowsAbsentContainer: boolean;
}

/**
 * What a pod requests, in thousandths, or the reason why nobody can tell.
 *
 * @upstream pkg/controller/podautoscaler/replica_calculator.go#calculateRequests
 */
export function requestOf(pod: Pod, query: RequestQuery): Int64 | string {
  if (query.usePodLevel && query.container === "" && hasPodLevelRequests(pod)) {
    const quantity = podLevelRequest(pod, query.resource);
    if (quantity !== undefined) return int64(milliValue(quantity));
    return `missing pod-level request for ${query.resource} in Pod ${podName(pod)}`;
  }
  return requestOfContainers(pod, query);
}

function requestOfContainers(pod: Pod, query: RequestQuery): Int64 | string {
  const { resource, container } = query;
  let total: Int64 = 0;
  const regular = containersOf(pod.spec?.containers);
  const sidecars = sidecarsOf(pod);
  for (let i = 0; i < regular.length + sidecars.length; i++) {
    const candidate = i < regular.length ? regular[i] : sidecars[i - regular.length];
    if (candidate === undefined || candidate === null) continue;
    if (container !== "" && container !== candidate.name) continue;
    const milli = milliOf(candidate.resources?.requests?.[resource]);
    if (milli === undefined) {
      return `missing request for ${resource} in container ${textOf(candidate.name)} of Pod ${podName(pod)}`;
    }
    total = add(total, milli);
    if (container === candidate.name) return total;
  }
  if (container === "" || query.allowsAbsentContainer) return total;
  return `container ${container} not found in Pod ${podName(pod)}`;
}

/** Init containers that keep running beside the others. */
function sidecarsOf(pod: Pod): readonly Container[] {
  const all = containersOf(pod.spec?.initContainers);
  return all.length === 0 ? all : all.filter((c) => c?.restartPolicy === "Always");
}
