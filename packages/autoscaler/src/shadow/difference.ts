// Finds the first difference between our decision and the built-in controller's.
import type { Decision, HpaCondition, MetricStatus } from "@plimsoll/core";
import { compareQuantity, parseQuantity } from "@plimsoll/core/quantity";
import type { ScalingObject } from "../objects/scaling-object.ts";

/** The first link of the chain of reasons at which two controllers part, with what each has there. */
export interface Difference {
  readonly step: "scale" | "metrics" | "metric" | "stabilize" | "limit" | "result";
  readonly ours: string;
  readonly theirs: string;
}

type Status = NonNullable<ScalingObject["status"]>;

/**
 * Follows our trace's order through what the other controller's status shows: the replicas it started from, whether its
 * metrics could be read, their values, the stabilization, the limits, and the result.
 */
export function firstDifference(decision: Decision, theirs: Status): Difference | undefined {
  const ours = decision.status;
  if (decision.currentReplicas !== (theirs.currentReplicas ?? 0)) {
    return differ("scale", decision.currentReplicas, theirs.currentReplicas ?? 0);
  }
  const active = conditionsDiffer(ours.conditions, theirs, "ScalingActive");
  if (active !== undefined) return { step: "metrics", ...active };
  const metric = metricsDiffer(ours.currentMetrics ?? [], theirs.currentMetrics ?? []);
  if (metric !== undefined) return metric;
  const able = conditionsDiffer(ours.conditions, theirs, "AbleToScale");
  // A scale that one has made and the other would make is the result's matter.
  if (able !== undefined && ![able.ours, able.theirs].some((text) => text.includes("SucceededRescale"))) {
    return { step: "stabilize", ...able };
  }
  const limited = conditionsDiffer(ours.conditions, theirs, "ScalingLimited");
  if (limited !== undefined) return { step: "limit", ...limited };
  if (decision.desiredReplicas === (theirs.desiredReplicas ?? 0)) return undefined;
  return differ("result", decision.desiredReplicas, theirs.desiredReplicas ?? 0);
}

function differ(step: Difference["step"], ours: unknown, theirs: unknown): Difference {
  return { step, ours: String(ours), theirs: String(theirs) };
}

function conditionsDiffer(
  ours: readonly HpaCondition[],
  { conditions }: Status,
  type: string,
): Pick<Difference, "ours" | "theirs"> | undefined {
  const text = (found: { readonly status: string; readonly reason?: string | undefined } | undefined) =>
    found === undefined ? `${type} absent` : `${type} ${found.status} ${found.reason ?? ""}`;
  const one = text(ours.find((condition) => condition.type === type));
  const other = text((conditions ?? []).find((condition) => condition.type === type));
  return one === other ? undefined : { ours: one, theirs: other };
}

function metricsDiffer(
  ours: readonly MetricStatus[],
  theirs: readonly MetricStatus[],
): Difference | undefined {
  for (let index = 0; index < Math.max(ours.length, theirs.length); index++) {
    const [one, other] = [valueOf(ours[index]), valueOf(theirs[index])];
    if (!sameValue(one, other))
      return { step: "metric", ours: `[${index}] ${one}`, theirs: `[${index}] ${other}` };
  }
  return undefined;
}

function valueOf(metric: MetricStatus | undefined): string {
  const current = (
    metric?.resource ??
    metric?.containerResource ??
    metric?.pods ??
    metric?.object ??
    metric?.external
  )?.current;
  if (current === undefined) return "none";
  if (current.averageUtilization !== undefined) return `${current.averageUtilization}%`;
  return current.averageValue ?? current.value ?? "none";
}

function sameValue(one: string, other: string): boolean {
  if (one === other) return true;
  if (one === "none" || other === "none" || one.endsWith("%") || other.endsWith("%")) return false;
  return compareQuantity(parseQuantity(one), parseQuantity(other)) === 0;
}
