// The replicas of the objects of each namespace, summed.
import { getOrAdd } from "@plimsoll/component-base";
import { namespaceOf } from "../objects/scaling-object.ts";
import { type Family, labelText } from "./exposition.ts";
import type { Known } from "./object-series.ts";

/** Of the objects of one kind in one namespace. */
interface NamespaceSums {
  readonly labels: string;
  current: number;
  desired: number;
  min: number;
  max: number;
}

const prefix = "plimsoll_namespace";

/** What dashboards need of objects that have no series of their own. */
export const namespaceFamilies: readonly Family<NamespaceSums>[] = [
  sumOf(`${prefix}_current_replicas`, "Sum of replicas before the last decisions.", "current"),
  sumOf(`${prefix}_desired_replicas`, "Sum of replicas after the last decisions.", "desired"),
  sumOf(`${prefix}_spec_min_replicas`, "Sum of lower limits.", "min"),
  sumOf(`${prefix}_spec_max_replicas`, "Sum of upper limits.", "max"),
];

function sumOf(
  name: string,
  help: string,
  sum: Exclude<keyof NamespaceSums, "labels">,
): Family<NamespaceSums> {
  return { name, help, write: (sums, add) => add(sums[sum], sums.labels) };
}

/** Sums over all that something was decided on. */
export function namespaceSums(all: readonly Known[]): readonly NamespaceSums[] {
  const sums = new Map<string, NamespaceSums>();
  for (const { hpa, stored } of all) {
    if (stored === undefined) continue;
    const sum = getOrAdd(sums, `${hpa.kind}/${namespaceOf(hpa)}`, () => ({
      labels: `${labelText("namespace", namespaceOf(hpa))},kind="${hpa.kind}"`,
      current: 0,
      desired: 0,
      min: 0,
      max: 0,
    }));
    sum.current += stored.shared.decision.currentReplicas;
    sum.desired += stored.shared.decision.desiredReplicas;
    sum.min += hpa.spec.minReplicas ?? 1;
    sum.max += hpa.spec.maxReplicas;
  }
  return [...sums.values()];
}
