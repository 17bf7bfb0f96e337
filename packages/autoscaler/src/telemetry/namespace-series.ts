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
  {
    name: `${prefix}_current_replicas`,
    help: "Sum of replicas before the last decisions.",
    write: ({ current, labels }, add) => add(current, labels),
  },
  {
    name: `${prefix}_desired_replicas`,
    help: "Sum of replicas after the last decisions.",
    write: ({ desired, labels }, add) => add(desired, labels),
  },
  {
    name: `${prefix}_spec_min_replicas`,
    help: "Sum of lower limits.",
    write: ({ min, labels }, add) => add(min, labels),
  },
  {
    name: `${prefix}_spec_max_replicas`,
    help: "Sum of upper limits.",
    write: ({ max, labels }, add) => add(max, labels),
  },
];

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
