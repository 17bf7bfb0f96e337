// Sums the requests of a pod.

import type { Container, PodSpec } from "../../objects/pod.ts";
import type { Semantics } from "../../objects/semantics.ts";
import { textOf } from "../../values/fields.ts";
import { add, type Int64 } from "../../values/number/int64.ts";
import { milliOf, milliOfQuantity } from "../../values/quantity/milli.ts";
import { containersOf, type PodFacts } from "./facts.ts";
import { podLevelRequest } from "./pod-level-requests.ts";

export interface RequestQuery {
  readonly resource: string;
  /** Only this container; empty means the whole pod. */
  readonly container: string;
  readonly semantics: Semantics;
}

/**
 * What a pod requests, in thousandths, or the reason why that is unknown.
 *
 * @upstream pkg/controller/podautoscaler/replica_calculator.go#calculateRequests
 */
export function requestOf(pod: PodFacts, query: RequestQuery): Int64 | string {
  const { resource, container, semantics } = query;
  if (container !== "") return requestOfContainers(pod, query);
  const { ofSpec } = pod;
  if (semantics.hasPodLevelRequests && ofSpec.hasPodLevelRequests) {
    const quantity = podLevelRequest(ofSpec.spec, resource, semantics);
    if (quantity !== undefined) return milliOfQuantity(quantity, semantics);
    return `missing pod-level request for ${resource} in Pod ${pod.name}`;
  }
  if (resource !== "cpu" && resource !== "memory") return requestOfContainers(pod, query);
  if (ofSpec.saturates !== semantics.saturatesQuantities) {
    ofSpec.saturates = semantics.saturatesQuantities;
    ofSpec.cpu = undefined;
    ofSpec.memory = undefined;
  }
  const known = ofSpec[resource];
  if (known !== undefined) return known;
  const request = requestOfContainers(pod, query);
  if (typeof request !== "string") ofSpec[resource] = request;
  return request;
}

function requestOfContainers(pod: PodFacts, query: RequestQuery): Int64 | string {
  const { resource, container, semantics } = query;
  let total: Int64 = 0;
  const { spec } = pod.ofSpec;
  const regular = containersOf(spec?.containers);
  const sidecars = sidecarsOf(spec);
  const [first, second] = semantics.firstContainers === "regular" ? [regular, sidecars] : [sidecars, regular];
  for (let i = 0; i < first.length + second.length; i++) {
    const candidate = i < first.length ? first[i] : second[i - first.length];
    if (candidate === undefined || candidate === null) continue;
    if (container !== "" && container !== candidate.name) continue;
    const milli = milliOf(candidate.resources?.requests?.[resource], semantics);
    if (milli === undefined)
      return `missing request for ${resource} in container ${textOf(candidate.name)} of Pod ${pod.name}`;
    total = add(total, milli);
    if (container === candidate.name) return total;
  }
  if (container === "" || semantics.absentContainer === "error") return total;
  return `container ${container} not found in Pod ${pod.name}`;
}

/** Init containers that keep running beside the others. */
function sidecarsOf(spec: PodSpec | undefined): readonly Container[] {
  const all = containersOf(spec?.initContainers);
  return all.length === 0 ? all : all.filter((c) => c?.restartPolicy === "Always");
}
