import type { Container, PodSpec } from "../../objects/pod.ts";
import type { Semantics } from "../../objects/semantics.ts";
import { addQuantity, compareQuantity } from "../../values/quantity/convert.ts";
import { quantityOf } from "../../values/quantity/milli.ts";
import type { Quantity } from "../../values/quantity/quantity.ts";
import { containersOf, isPodLevelResource } from "./facts.ts";

/**
 * The effective request of a pod that sets pod-level requests: those where they name the resource, else what
 * its containers add up to at their peak; plus overhead in some releases. Undefined when nothing names the resource.
 *
 * @upstream component-helpers/resource/helpers.go#PodRequests
 */
export function podLevelRequest(
  spec: PodSpec | undefined,
  resource: string,
  { countsPodOverhead }: Pick<Semantics, "countsPodOverhead">,
): Quantity | undefined {
  const podLevel = isPodLevelResource(resource)
    ? quantityOf(spec?.resources?.requests?.[resource])
    : undefined;
  const base = podLevel ?? containerPeak(spec, resource);
  return countsPodOverhead ? sum(base, quantityOf(spec?.overhead?.[resource])) : base;
}

/** Regular containers and sidecars run together; each init container runs beside the sidecars before it. */
function containerPeak(spec: PodSpec | undefined, resource: string): Quantity | undefined {
  let running: Quantity | undefined;
  for (const container of containersOf(spec?.containers))
    running = sum(running, requestQuantity(container, resource));
  let sidecars: Quantity | undefined;
  let peak: Quantity | undefined;
  for (const container of containersOf(spec?.initContainers)) {
    const own = requestQuantity(container, resource);
    if (container?.restartPolicy === "Always") {
      running = sum(running, own);
      sidecars = sum(sidecars, own);
      peak = larger(peak, sidecars);
    } else {
      peak = larger(peak, sum(own, sidecars));
    }
  }
  return larger(running, peak);
}

function requestQuantity(container: Container, resource: string): Quantity | undefined {
  return quantityOf(container?.resources?.requests?.[resource]);
}

function sum(a: Quantity | undefined, b: Quantity | undefined): Quantity | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : addQuantity(a, b);
}

function larger(a: Quantity | undefined, b: Quantity | undefined): Quantity | undefined {
  if (a === undefined) return b;
  return b !== undefined && compareQuantity(b, a) > 0 ? b : a;
}
