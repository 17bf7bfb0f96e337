// Whether the manifest of a recording and the series of its specification say the same.
import type { MetricSpec } from "@plimsoll/core";
import { approximateFloat, parseQuantity } from "@plimsoll/core/quantity";
import type { Autoscaler } from "@plimsoll/simulator";
import { metricsOf } from "@plimsoll/simulator/parts";
import type { Recording, SpecChange } from "./recording.ts";

/** One sentence for each field whose last value is another in the manifest. */
export function manifestProblems(
  { autoscaler: { changes } }: Recording,
  autoscaler: Pick<Autoscaler, "hpa" | "schedules">,
): readonly string[] {
  const last = new Map(changes.map((change) => [`${change.field} ${change.metricIndex ?? ""}`, change]));
  return [...last.values()].flatMap((change) => {
    const own = valueOf(change, autoscaler);
    if (own === undefined || Math.abs(own - change.value) < 1e-6) return [];
    const at = new Date(change.atMs).toISOString();
    return [
      `autoscaler.object ${pathOf(change)} is ${own}, but was ${change.value} from ${at}: use the manifest of that time`,
    ];
  });
}

function valueOf(
  { field, metricIndex = 0 }: SpecChange,
  autoscaler: Pick<Autoscaler, "hpa" | "schedules">,
): number | undefined {
  const { spec } = autoscaler.hpa;
  // Series have the bounds that schedules make.
  const hasSchedules = autoscaler.schedules !== undefined;
  if (field === "minReplicas") return hasSchedules ? undefined : (spec.minReplicas ?? 1);
  if (field === "maxReplicas") return hasSchedules ? undefined : spec.maxReplicas;
  return field === "target" ? targetOf(metricsOf(autoscaler)[metricIndex]) : undefined;
}

function targetOf(metric: MetricSpec | undefined): number | undefined {
  const source =
    metric?.resource ?? metric?.containerResource ?? metric?.pods ?? metric?.object ?? metric?.external;
  const { averageUtilization, averageValue, value } = source?.target ?? {};
  if (averageUtilization !== undefined) return averageUtilization;
  const text = averageValue ?? value;
  return text === undefined ? undefined : approximateFloat(parseQuantity(text));
}

function pathOf({ field, metricIndex = 0 }: SpecChange): string {
  return field === "target" ? `spec.metrics[${metricIndex}] target` : `spec.${field}`;
}
