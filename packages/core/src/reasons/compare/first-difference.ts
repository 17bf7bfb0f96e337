// Finds the first difference between a decision and the status that another controller wrote.

import type { Decision } from "../../objects/decision.ts";
import { metricSource } from "../../objects/metrics.ts";
import type { MetricStatus, StoredHpaStatus } from "../../objects/status.ts";
import { compareQuantity } from "../../values/quantity/convert.ts";
import { quantityOf } from "../../values/quantity/milli.ts";
import { conditionOf } from "./conditions.ts";
import type { StatusDifference } from "./types.ts";

/**
 * Follows the order of a trace through what a status shows: the replicas it started from, whether metrics could be
 * read, their values, the stabilization, the limits, and the result. Undefined: they agree.
 */
export function firstDifference(
  decision: Pick<Decision, "currentReplicas" | "desiredReplicas" | "status">,
  theirs: StoredHpaStatus,
): StatusDifference | undefined {
  const ours = decision.status;
  if (decision.currentReplicas !== (theirs.currentReplicas ?? 0))
    return differ("scale", decision.currentReplicas, theirs.currentReplicas ?? 0);
  const active = conditionsDiffer(ours, theirs, "ScalingActive");
  if (active !== undefined) return { step: "metrics", ...active };
  const metric = metricsDiffer(ours.currentMetrics ?? [], theirs.currentMetrics ?? []);
  if (metric !== undefined) return metric;
  const able = conditionsDiffer(ours, theirs, "AbleToScale");
  // A scale that one has made and the other would make is the result's matter.
  if (able !== undefined && ![able.ours, able.theirs].some((text) => text.includes("SucceededRescale")))
    return { step: "stabilize", ...able };
  const limited = conditionsDiffer(ours, theirs, "ScalingLimited");
  if (limited !== undefined) return { step: "limit", ...limited };
  if (decision.desiredReplicas === (theirs.desiredReplicas ?? 0)) return undefined;
  return differ("result", decision.desiredReplicas, theirs.desiredReplicas ?? 0);
}

function differ(step: StatusDifference["step"], ours: number, theirs: number): StatusDifference {
  return { step, ours: String(ours), theirs: String(theirs) };
}

function conditionsDiffer(
  ours: StoredHpaStatus,
  theirs: StoredHpaStatus,
  type: string,
): Pick<StatusDifference, "ours" | "theirs"> | undefined {
  const [one, other] = [conditionText(ours, type), conditionText(theirs, type)];
  return one === other ? undefined : { ours: one, theirs: other };
}

function conditionText(status: StoredHpaStatus, type: string): string {
  const found = conditionOf(status, type);
  return found === undefined ? `${type} absent` : `${type} ${found.status} ${found.reason ?? ""}`;
}

function metricsDiffer(
  ours: readonly MetricStatus[],
  theirs: readonly MetricStatus[],
): StatusDifference | undefined {
  for (let index = 0; index < Math.max(ours.length, theirs.length); index++) {
    const [one, other] = [metricValue(ours[index]), metricValue(theirs[index])];
    if (!sameValue(one, other)) return { step: "metric", metric: index, ours: one, theirs: other };
  }
  return undefined;
}

/** The value of an entry of status.currentMetrics: percent where it has one, else a quantity, or "none". */
export function metricValue(metric: MetricStatus | undefined): string {
  const { averageUtilization, averageValue, value } = metricSource(metric)?.current ?? {};
  if (averageUtilization !== undefined && averageUtilization !== null) return `${averageUtilization}%`;
  return averageValue ?? value ?? "none";
}

function sameValue(one: string, other: string): boolean {
  if (one === other) return true;
  const [left, right] = [quantityOf(one), quantityOf(other)];
  return left !== undefined && right !== undefined && compareQuantity(left, right) === 0;
}
