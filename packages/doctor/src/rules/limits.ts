// Rules about minReplicas and maxReplicas.
import type { Decision } from "@plimsoll/core";
import { ageText, shellWord } from "@plimsoll/core/internal/values";
import { type Autoscaler, keyOf, ownCondition, shortKind } from "../evidence/autoscaler.ts";
import { at, listOf } from "../evidence/fields.ts";
import { metricSteps, proposedBy } from "../evidence/past-decision.ts";
import { valueOf } from "../evidence/reading.ts";
import type { EvidenceItem } from "../finding.ts";
import { type Found, item, type ObjectContext, objectRule, type Rule } from "../rule.ts";
import { thresholds } from "../thresholds.ts";

function field({ kind, namespace, name }: Autoscaler, path: string): string {
  return `${kind} ${namespace}/${name} ${path}`;
}

function atMaximum({ object, readings, nowMs }: ObjectContext): readonly Found[] {
  const limited = ownCondition(object, "ScalingLimited");
  if (limited?.status !== "True" || limited.reason !== "TooManyReplicas") return [];
  const { currentReplicas = 0, maxReplicas, name, namespace } = object;
  // The time of the condition is older where only its reason changed; at the maximum nothing is scaled.
  const ageMs =
    limited.sinceMs === undefined ? 0 : nowMs - Math.max(limited.sinceMs, object.lastScaleMs ?? 0);
  if (currentReplicas < maxReplicas || ageMs < thresholds.atMaxMs) return [];
  const decision = valueOf(readings.decision);
  const proposed = decision === undefined ? undefined : proposedBy(decision);
  // The condition is older than what the metrics ask for now.
  if (proposed !== undefined && proposed <= maxReplicas) return [];
  const more = proposed === undefined ? "more" : String(proposed);
  return [
    {
      title: `at maxReplicas for ${ageText(ageMs)} while metrics call for ${more}`,
      evidence: [
        ...highestMetric({ object, readings }),
        item("maxReplicas", String(maxReplicas), field(object, ".spec.maxReplicas")),
      ],
      command: `kubectl patch ${shortKind(object)} ${shellWord(name)} -n ${shellWord(namespace)} --type=merge -p '{"spec":{"maxReplicas":${raised(maxReplicas, proposed)}}}'`,
    },
  ];
}

/** Twice as many, as often as it takes. */
function raised(maxReplicas: number, proposed = 0): number {
  let raised = Math.max(1, maxReplicas) * 2;
  while (raised < proposed) raised *= 2;
  return raised;
}

/** The metric that proposes most, with its value and its target. */
function highestMetric({
  object,
  readings,
}: Pick<ObjectContext, "object" | "readings">): readonly EvidenceItem[] {
  const decision = valueOf(readings.decision);
  const steps = decision === undefined ? [] : metricSteps(decision);
  const step = steps.toSorted((a, b) => (b.replicas ?? 0) - (a.replicas ?? 0))[0];
  const metric = object.metrics[step?.index ?? -1];
  if (step?.first === undefined || metric === undefined) return [];
  const isShare = metric.targetType === "Utilization";
  const isTotal = metric.type === "External" || metric.type === "Object";
  const value = isTotal ? step.first.total : step.first.usage;
  const each = metric.targetType === "AverageValue" ? " each" : "";
  const text = isShare ? `${value}% / ${metric.target}%` : `${value} / ${metric.target}${each}`;
  return [item(metric.name, text, "the newest decision")];
}

function fixedCount({ object }: ObjectContext): readonly Found[] {
  const { minReplicas, maxReplicas } = object;
  if (minReplicas !== maxReplicas || listOf(at(object.raw, "spec", "schedules")).length > 0) return [];
  return [
    { evidence: [item("minReplicas and maxReplicas", `are both ${minReplicas}`, field(object, ".spec"))] },
  ];
}

/** What counts as the minimum at this moment: schedules move it. */
function floorOf(
  { minReplicas }: Autoscaler,
  decision: Decision | undefined,
): { readonly floor: number; readonly names: string } {
  const step = decision?.trace.find((one) => one.kind === "schedules");
  if (step?.kind !== "schedules") return { floor: minReplicas, names: "" };
  const names = step.active.filter(({ floor }) => floor === step.minReplicas).map(({ name }) => name);
  return { floor: step.minReplicas, names: names.join(" and ") };
}

function atMinimum({ object, readings }: ObjectContext): readonly Found[] {
  const limited = ownCondition(object, "ScalingLimited");
  if (limited?.status !== "True" || limited.reason !== "TooFewReplicas") return [];
  const { floor, names } = floorOf(object, valueOf(readings.decision));
  const isScheduled = floor > object.minReplicas;
  const mayMove =
    valueOf(readings.decision) === undefined && listOf(at(object.raw, "spec", "schedules")).length > 0;
  const what = isScheduled ? `the ${floor} of its schedules` : `minReplicas ${floor}`;
  const fewer = `says ${limited.reason}: metrics call for fewer than ${what}${mayMove ? ", or than the floor of a schedule" : ""}`;
  const evidence = [item(`ScalingLimited of ${keyOf(object)}`, fewer, field(object, ".status.conditions"))];
  if (!isScheduled) return [{ evidence }];
  const by = names === "" ? "the schedules" : names;
  return [
    {
      title: `the replicas are at the floor of ${by} (no problem)`,
      evidence: [...evidence, item(by, `at least ${floor} replicas`, field(object, ".spec.schedules"))],
      fix: `nothing to do: metrics call for fewer replicas than its schedules' current floor of ${floor}; lower the floor if fewer are enough`,
    },
  ];
}

export const limitRules: readonly Rule[] = [
  objectRule({
    id: "PL-030",
    severity: "warn",
    title: "at maxReplicas while metrics call for more",
    condition: "The replicas are at maxReplicas, and the metrics call for more, for 15 minutes or longer.",
    fix: "raise maxReplicas; see PL-033, PL-034, and PL-035 for whether the pods fit",
    isFromRecords: true,
    needs: [],
    uses: ["decision"],
    check: atMaximum,
  }),
  objectRule({
    id: "PL-031",
    severity: "info",
    title: "minReplicas equals maxReplicas, so replicas never change",
    condition: "minReplicas and maxReplicas are the same number, and there are no schedules.",
    fix: "remove the autoscaler and set spec.replicas of the target, or use a schedule with fixed replicas",
    isFromRecords: true,
    isForManifests: true,
    needs: [],
    check: fixedCount,
  }),
  objectRule({
    id: "PL-032",
    severity: "info",
    title: "the replicas are at minReplicas (no problem)",
    condition:
      "The condition ScalingLimited has the reason TooFewReplicas. If a schedule sets the minimum, it is named.",
    fix: "none needed; lower minReplicas if fewer are enough",
    isFromRecords: true,
    needs: [],
    uses: ["decision"],
    check: atMinimum,
  }),
];
