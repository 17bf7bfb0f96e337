// The metrics of each evaluated object, with the names of kube-state-metrics.
import { isLasting, type MetricSpec, type MetricStatus, type MetricTarget } from "@plimsoll/core";
import { metricName, metricSource } from "@plimsoll/core/internal/objects";
import { approximateFloat, parseQuantity, QuantityError } from "@plimsoll/core/quantity";
import type { KeptDecision } from "../decisions/stored-decision.ts";
import { namespaceOf, type ScalingObject } from "../objects/scaling-object.ts";
import { modeAt } from "../objects/wla-extras.ts";
import { labelText } from "./exposition.ts";

/** An object of ours and what was decided on it last; one that moves the bounds of an HPA decides nothing itself. */
export interface Known {
  readonly hpa: ScalingObject;
  readonly stored: KeptDecision | undefined;
  readonly nowMs: number;
  /** What all series of the object are labeled with. */
  readonly labels: string;
}

/** `labels`: further ones, made with `labelText`. */
type AddSample = (value: number, labels?: string) => void;

export interface ObjectFamily {
  readonly name: string;
  readonly help: string;
  readonly addSamples: (known: Known, add: AddSample) => void;
  /** The same where only what is abnormal is served; absent: nothing is. */
  readonly addAbnormal?: ObjectFamily["addSamples"];
}

interface Decided extends Known {
  readonly stored: KeptDecision;
}

const prefix = "plimsoll_horizontalpodautoscaler";

/** The alert on old decisions fires at 300 s. */
const oldDecisionMs = 120_000;

/**
 * One object's state as series: the names and labels are those that kube-state-metrics gives HPAs, under our prefix,
 * so that a dashboard moves by search and replace. A WorkloadAutoscaler has the same with its own `kind`.
 */
export const objectFamilies: readonly ObjectFamily[] = [
  {
    name: `${prefix}_info`,
    help: "Target, and mode: active, shadow, paused, or yielded.",
    addSamples: addInfo,
    addAbnormal: addInfo,
  },
  {
    name: `${prefix}_spec_min_replicas`,
    help: "Lower limit in the spec.",
    addSamples: ofDecision(({ hpa }, add) => add(hpa.spec.minReplicas ?? 1)),
  },
  {
    name: `${prefix}_spec_max_replicas`,
    help: "Upper limit in the spec.",
    addSamples: ofDecision(({ hpa }, add) => add(hpa.spec.maxReplicas)),
  },
  {
    name: `${prefix}_status_current_replicas`,
    help: "Replicas before the last decision.",
    addSamples: ofDecision(({ stored }, add) => add(stored.shared.decision.currentReplicas)),
    addAbnormal: ofDecision(({ stored }, add) => {
      if (isChange(stored)) add(stored.shared.decision.currentReplicas);
    }),
  },
  {
    name: `${prefix}_status_desired_replicas`,
    help: "Replicas after the last decision.",
    addSamples: ofDecision(({ stored }, add) => add(stored.shared.decision.desiredReplicas)),
    addAbnormal: ofDecision(({ stored }, add) => {
      if (isChange(stored)) add(stored.shared.decision.desiredReplicas);
    }),
  },
  {
    name: `${prefix}_status_condition`,
    help: "1 for each condition's status and reason.",
    addSamples: (known, add) => addConditions(known, add, () => true),
    addAbnormal: (known, add) => addConditions(known, add, isAbnormal),
  },
  {
    name: `${prefix}_replicas_overwritten`,
    help: "How often another client keeps changing the replicas back.",
    addSamples: addOverwritten,
    addAbnormal: addOverwritten,
  },
  {
    name: `${prefix}_spec_target_metric`,
    help: "Target of each metric.",
    addSamples: ofDecision((decided, add) => addTargets(decided, add, () => true)),
    addAbnormal: ofDecision((decided, add) => {
      const current = decided.stored.shared.decision.status.currentMetrics ?? [];
      addTargets(decided, add, (index) => currentOf(current[index]) === undefined);
    }),
  },
  {
    name: `${prefix}_status_target_metric`,
    help: "Value of each metric; absent while unreadable.",
    addSamples: ofDecision(({ stored }, add) => {
      for (const [index, metric] of (stored.shared.decision.status.currentMetrics ?? []).entries()) {
        const reading = currentOf(metric);
        if (reading !== undefined) add(reading.value, metricLabels(metric, index, reading.type));
      }
    }),
  },
  {
    name: `${prefix}_metric_proposed_replicas`,
    help: "Replicas that each metric proposed, before stabilization and limits.",
    addSamples: ofDecision(({ hpa, stored }, add) => {
      for (const { index, replicas } of stored.shared.proposals) {
        const metric = hpa.spec.metrics?.[index];
        const name = metric === undefined ? "" : (metricName(metric) ?? "");
        add(replicas, `${labelText("metric_name", name)},metric_index="${index}"`);
      }
    }),
  },
  {
    name: `${prefix}_last_decision_timestamp_seconds`,
    help: "Time of the last decision.",
    addSamples: ofDecision(({ stored }, add) => add(stored.nowMs / 1000)),
    addAbnormal: ofDecision(({ stored, nowMs }, add) => {
      if (nowMs - stored.nowMs > oldDecisionMs) add(stored.nowMs / 1000);
    }),
  },
];

/** An object as its series have it. */
export function knownObject(hpa: ScalingObject, stored: KeptDecision | undefined, nowMs: number): Known {
  const { name } = hpa.metadata;
  const named = `${labelText("namespace", namespaceOf(hpa))},${labelText("horizontalpodautoscaler", name)}`;
  return { hpa, stored, nowMs, labels: `${named},kind="${hpa.kind}"` };
}

function ofDecision(addSamples: (decided: Decided, add: AddSample) => void): ObjectFamily["addSamples"] {
  return (known, add) => {
    if (known.stored !== undefined) addSamples(known as Decided, add);
  };
}

function isChange({ shared: { decision } }: KeptDecision): boolean {
  return decision.currentReplicas !== decision.desiredReplicas;
}

function addInfo(known: Known, add: AddSample): void {
  const { kind, name } = known.hpa.spec.scaleTargetRef;
  const target = `${labelText("scaletargetref_kind", kind)},${labelText("scaletargetref_name", name)}`;
  add(1, `${target},mode="${modeOf(known)}"`);
}

function addOverwritten({ stored }: Known, add: AddSample): void {
  const other = stored?.shared.context.otherWriter;
  if (other?.writes === "replicas" && isLasting(other)) add(other.count);
}

type Condition = NonNullable<NonNullable<ScalingObject["status"]>["conditions"]>[number];

function addConditions(
  { hpa, stored }: Known,
  add: AddSample,
  isWanted: (condition: Condition) => boolean,
): void {
  for (const condition of (stored?.shared.decision.status ?? hpa.status)?.conditions ?? []) {
    if (!isWanted(condition)) continue;
    const { type, status, reason } = condition;
    const labels = `${labelText("condition", type)},${labelText("status", status.toLowerCase())}`;
    add(1, `${labels},${labelText("reason", reason ?? "")}`);
  }
}

/** Conditions that are True, or False, on an object that needs no attention; those that only say what is so may be either. */
const normal: Readonly<Record<string, "True" | "False" | "either">> = {
  AbleToScale: "True",
  ScalingActive: "True",
  ScalingLimited: "False",
  Ready: "True",
  SchedulesValid: "True",
  Active: "either",
  Paused: "False",
  Fallback: "False",
  Held: "False",
  Conflict: "False",
  ScheduleActive: "either",
  ScaledToZero: "either",
};

/** That fewer than minReplicas would do is what minReplicas are for. */
function isAbnormal({ type, status, reason }: Condition): boolean {
  if (type === "ScalingLimited" && reason === "TooFewReplicas") return false;
  const expected = normal[type];
  return expected !== "either" && expected !== status;
}

function addTargets({ hpa }: Decided, add: AddSample, isWanted: (index: number) => boolean): void {
  for (const [index, metric] of (hpa.spec.metrics ?? []).entries()) {
    if (!isWanted(index)) continue;
    const reading = readingOf(metricSource(metric)?.target);
    if (reading !== undefined) add(reading.value, metricLabels(metric, index, reading.type));
  }
}

/** Two metrics of one name differ by their index. */
function metricLabels(metric: MetricSpec | MetricStatus, index: number, type: string): string {
  return `${labelText("metric_name", metricName(metric) ?? "")},metric_target_type="${type}",metric_index="${index}"`;
}

function modeOf({ hpa, stored, nowMs }: Known): string {
  if (stored?.shared.context.yieldedTo !== undefined) return "yielded";
  const mode = hpa.kind === "WorkloadAutoscaler" ? modeAt(hpa.wla, nowMs) : undefined;
  if (mode === "Paused") return "paused";
  return stored?.shared.mode ?? (mode === "Shadow" ? "shadow" : "active");
}

function currentOf(metric: MetricStatus | undefined): Reading | undefined {
  return readingOf(metricSource(metric)?.current);
}

interface Reading {
  readonly type: "utilization" | "average" | "value";
  readonly value: number;
}

/** What kube-state-metrics calls the kinds of value. */
function readingOf(
  from: Partial<Pick<MetricTarget, "averageUtilization" | "averageValue" | "value">> | undefined,
): Reading | undefined {
  if (from === undefined) return undefined;
  if (typeof from.averageUtilization === "number")
    return { type: "utilization", value: from.averageUtilization };
  const type = from.averageValue === undefined ? "value" : "average";
  const value = numberOf(from.averageValue ?? from.value);
  return value === undefined ? undefined : { type, value };
}

function numberOf(quantity: string | undefined): number | undefined {
  if (quantity === undefined) return undefined;
  try {
    return approximateFloat(parseQuantity(quantity));
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}
