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
  const { ofSpec } = pod;
  if (query.usePodLevel && ofSpec.hasPodLevelRequests) {
    const quantity = podLevelRequest(ofSpec.spec, resource);
    if (quantity !== undefined) return int64(milliValue(quantity));
    return `missing pod-level request for ${resource} in Pod ${pod.name}`;
  }
  if (resource !== "cpu" && resource !== "memory") return requestOfContainers(pod, query);
  const known = ofSpec[resource];
  if (known !== undefined) return known;
  const request = requestOfContainers(pod, query);
  if (typeof request !== "string") ofSpec[resource] = request;
  return request;
}

function requestOfContainers(pod: PodFacts, query: RequestQuery): Int64 | string {
  const { resource, container } = query;
  let total: Int64 = 0;
  const { spec } = pod.ofSpec;
  const regular = containersOf(spec?.containers);
  const sidecars = sidecarsOf(spec);
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
