// What the status of an object says of its last decision, where nothing more is known.
import type { DecisionSummary, HeldBy, MetricSpec, MetricStatus } from "@plimsoll/core";
import { defaultHpa } from "@plimsoll/core/api";
import { metricName, metricSource } from "@plimsoll/core/internal/objects";
import { plainQuantity } from "@plimsoll/core/internal/values";
import { asDecided } from "@plimsoll/core/queries";
import { type RowMetric, unitOf } from "@plimsoll/decisions";
import type { ServedObject } from "@plimsoll/observe";

/** No arithmetic: counts and conditions as they stand there. */
export function statusSummary(served: ServedObject | undefined): DecisionSummary {
  const status = served?.status;
  const current = status?.currentReplicas ?? 0;
  const heldBy = heldByOf(served);
  const isDecided = heldBy !== "failed" && heldBy !== "disabled" && heldBy !== "selector";
  const desired = isDecided ? (status?.desiredReplicas ?? current) : current;
  return {
    current,
    desired,
    proposed: null,
    action: !isDecided ? "none" : desired === current ? "hold" : "scale",
    heldBy,
    decidedBy: null,
    notBefore: null,
  };
}

const limitedBy: Readonly<Record<string, HeldBy>> = {
  TooManyReplicas: "max",
  TooFewReplicas: "min",
  ScaleUpLimit: "rate",
  ScaleDownLimit: "rate",
};

function heldByOf(served: ServedObject | undefined): HeldBy {
  const status = served?.status;
  const reasonOf = (type: string, wanted: string): string | undefined =>
    status?.conditions?.find((one) => one.type === type && one.status === wanted)?.reason;
  if (reasonOf("AbleToScale", "False") !== undefined) return "failed";
  const inactive = reasonOf("ScalingActive", "False");
  if (inactive === "ScalingDisabled") return "disabled";
  if (inactive === "InvalidSelector" || inactive === "AmbiguousSelector") return "selector";
  if (inactive !== undefined) return "failed";
  const limited = reasonOf("ScalingLimited", "True");
  if (limited !== undefined) return limitedBy[limited] ?? "rate";
  if (reasonOf("AbleToScale", "True")?.endsWith("Stabilized") === true) return "stabilize";
  return isWithinTolerance(served) ? "tolerance" : "none";
}

const usualTolerance = 0.1;

/** Whether it stays although some metric is off its target, and all are so by little. */
function isWithinTolerance(served: ServedObject | undefined): boolean {
  const { currentReplicas, desiredReplicas } = served?.status ?? {};
  const ratios = statusMetrics(served).map(({ ratio }) => Number(ratio ?? Number.NaN));
  if (currentReplicas !== desiredReplicas || ratios.every((ratio) => ratio === 1)) return false;
  return ratios.every((ratio) => Math.abs(1 - ratio) <= usualTolerance);
}

/** The values of the last evaluation beside their targets. */
export function statusMetrics(served: ServedObject | undefined): readonly RowMetric[] {
  if (served === undefined) return [];
  const failure = served.status?.conditions?.find(
    (one) => one.type === "ScalingActive" && one.status === "False",
  );
  // A WorkloadAutoscaler may have schedules alone; an HPA without metrics gets one from the API server.
  const decided = asDecided(served);
  const { spec } = served.kind === "WorkloadAutoscaler" ? decided : defaultHpa(decided);
  return (spec.metrics ?? []).map((metric, index): RowMetric => {
    const value = valueOf(served.status?.currentMetrics?.[index]);
    const target = targetOf(metric);
    const ratio = ratioOf(value, target);
    const reason = failure?.reason ?? "";
    const name = metricName(metric) ?? metric.type;
    return {
      name,
      ...unitOf({ type: metric.type, name }),
      value: value ?? null,
      target: target === undefined ? null : target.isEach ? `${target.text} each` : target.text,
      ratio: ratio ?? null,
      ...(value === undefined && reason !== "" ? { error: `${reason}: ${failure?.message ?? ""}` } : {}),
    };
  });
}

function valueOf(metric: MetricStatus | undefined): string | undefined {
  const current = metricSource(metric)?.current;
  if (current?.averageUtilization !== undefined) return `${current.averageUtilization}%`;
  const quantity = current?.averageValue ?? current?.value;
  return quantity === undefined ? undefined : plainQuantity(quantity);
}

function targetOf(spec: MetricSpec): { readonly text: string; readonly isEach: boolean } | undefined {
  const target = metricSource(spec)?.target;
  if (target?.averageUtilization !== undefined)
    return { text: `${target.averageUtilization}%`, isEach: false };
  if (target?.averageValue !== undefined) return { text: plainQuantity(target.averageValue), isEach: true };
  return target?.value === undefined ? undefined : { text: plainQuantity(target.value), isEach: false };
}

/** Both are percents, or both plain numbers; other quantities are not compared. */
function ratioOf(
  value: string | undefined,
  target: { readonly text: string } | undefined,
): number | undefined {
  if (value === undefined || target === undefined || value.endsWith("%") !== target.text.endsWith("%"))
    return undefined;
  const ratio = Number(value.replace("%", "")) / Number(target.text.replace("%", ""));
  return Number.isFinite(ratio) ? ratio : undefined;
}
