// Sums the requests of a pod.
import { add, type Int64, int64 } from "../number/int64.ts";
import { milliValue } from "../quantity/convert.ts";
import { milliOf } from "../quantity/milli.ts";
import type { Container, PodSpec } from "../spec/pod.ts";
import { textOf } from "../spec/text.ts";
import { containersOf, type PodFacts } from "./facts.ts";
import { podLevelRequest } from "./pod-level-requests.ts";

export interface RequestQuery {
  readonly resource: string;
  /** Only this container; empty means the whole pod. */
  readonly container: string;
  readonly usePodLevel: boolean;
  /** A pod without the container requests nothing of it, instead of failing. */
  readonly allowsAbsentContainer: boolean;
}

/**
 * What a pod requests, in thousandths, or the reason why that is not known.
 *
 * @upstream pkg/controller/podautoscaler/replica_calculator.go#calculateRequests
 */
export function requestOf(pod: PodFacts, query: RequestQuery): Int64 | string {
  const { resource, container } = query;
  if (container !== "") return requestOfContainers(pod, query);
  if (query.usePodLevel && pod.hasPodLevelRequests) {
    const quantity = podLevelRequest(pod.spec, resource);
    if (quantity !== undefined) return int64(milliValue(quantity));
    return `missing pod-level request for ${resource} in Pod ${pod.name}`;
  }
  if (resource === "cpu") return (pod.cpu ??= requestOfContainers(pod, query));
  if (resource === "memory") return (pod.memory ??= requestOfContainers(pod, query));
  return requestOfContainers(pod, query);
}

function requestOfContainers(pod: PodFacts, query: RequestQuery): Int64 | string {
  const { resource, container } = query;
  let total: Int64 = 0;
  const regular = containersOf(pod.spec?.containers);
  const sidecars = sidecarsOf(pod.spec);
  for (let i = 0; i < regular.length + sidecars.length; i++) {
    const candidate = i < regular.length ? regular[i] : sidecars[i - regular.length];
    if (candidate === undefined || candidate === null) continue;
    if (container !== "" && container !== candidate.name) continue;
    const milli = milliOf(candidate.resources?.requests?.[resource]);
    if (milli === undefined) {
      return `missing request for ${resource} in container ${textOf(candidate.name)} of Pod ${pod.name}`;
    }
    total = add(total, milli);
    if (container === candidate.name) return total;
  }
  if (container === "" || query.allowsAbsentContainer) return total;
  return `container ${container} not found in Pod ${pod.name}`;
}

/** Init containers that keep running beside the others. */
function sidecarsOf(spec: PodSpec | undefined): readonly Container[] {
  const all = containersOf(spec?.initContainers);
  return all.length === 0 ? all : all.filter((c) => c?.restartPolicy === "Always");
}
