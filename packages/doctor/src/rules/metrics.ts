// Rules about what metrics do to the decision.
import { fieldOfType, targetTypes } from "@plimsoll/core/internal/objects";
import { ageText, counted, selectorProblem, showRatio, textOf } from "@plimsoll/core/internal/values";
import { fieldOfTarget, isResourceMetric, keyOf, type Metric, ownCondition } from "../evidence/autoscaler.ts";
import { labelsOf, listOf, textsOf } from "../evidence/fields.ts";
import type { PastDecision } from "../evidence/past-decision.ts";
import { metricSteps } from "../evidence/past-decision.ts";
import { type Found, item, type ObjectContext, type Outcome, objectRule, type Rule } from "../rule.ts";
import { thresholds } from "../thresholds.ts";

function blockedByFailure({ object, facts, nowMs }: ObjectContext<"decision">): readonly Found[] {
  const combined = facts.decision.trace.find((step) => step.kind === "combine");
  if (combined?.kind !== "combine" || combined.outcome !== "blocked") return [];
  const active = ownCondition(object, "ScalingActive");
  const sinceMs = active?.status === "False" ? active.sinceMs : undefined;
  const since = sinceMs === undefined ? "" : ` for ${ageText(nowMs - sinceMs)}`;
  const steps = metricSteps(facts.decision);
  const lower = Math.max(0, ...steps.flatMap(({ replicas }) => replicas ?? []));
  return [
    {
      title: `a failed metric blocks the scale-down that the others call for${since}`,
      evidence: [
        ...steps.flatMap(({ name, error }) =>
          error === undefined ? [] : [item(name, `failed: ${error.message}`, "the newest decision")],
        ),
        item(
          "the other metrics",
          `call for ${lower}, and ${facts.decision.currentReplicas} stay`,
          "the newest decision",
        ),
      ],
    },
  ];
}

/** Only numbers of all replicas together can have the wrong kind of target. */
function isShared({ type, targetType }: Metric): boolean {
  return (
    (type === "External" || type === "Object") && (targetType === "Value" || targetType === "AverageValue")
  );
}

function wrongTargetType({ object, facts }: ObjectContext<"history">): readonly Outcome[] {
  return object.metrics.filter(isShared).flatMap((metric): readonly Outcome[] => {
    const slope = slopeOf(facts.history, metric);
    if (typeof slope === "string") return [{ skipped: slope }];
    const evidence = [
      item(
        metric.name,
        `changes as replicas to the power of ${showRatio(slope)}, over ${counted(facts.history.length, "decision")}`,
        "decisions",
      ),
      item(
        "its target",
        `is of type ${metric.targetType}`,
        `${object.kind} ${keyOf(object)} .spec.metrics[${metric.index}]`,
      ),
    ];
    if (metric.targetType === "Value" && slope > thresholds.flatSlope && asksForMore(facts.history, metric))
      return [{ title: `${metric.name} has a Value target and does not fall with more replicas`, evidence }];
    if (metric.targetType === "AverageValue" && slope < thresholds.averageSlope) {
      const title = `${metric.name} is already an average, and its AverageValue target divides it again`;
      return [{ title, evidence, fix: "use a Value target, or let the query return the sum" }];
    }
    return [];
  });
}

/** A number that follows the replicas comes to rest at its target; one that does not stays above it. */
function asksForMore(history: readonly PastDecision[], { index }: Metric): boolean {
  const steps = history.flatMap(({ metrics }) => metrics.filter((metric) => metric.index === index));
  return steps.every(({ withinTolerance, ratio = 0 }) => !withinTolerance && ratio > 1);
}

/** The slope of the logarithms by least squares, or why there is none. */
function slopeOf(history: readonly PastDecision[], { index }: Metric): number | string {
  const points = history.flatMap(({ current, metrics }) => {
    const total = metrics.find((metric) => metric.index === index)?.total;
    return total === undefined || total <= 0 || current <= 0
      ? []
      : [{ x: Math.log(current), y: Math.log(total) }];
  });
  const xs = points.map(({ x }) => x);
  const spread = Math.exp(Math.max(...xs) - Math.min(...xs));
  if (points.length < thresholds.slopePoints) return "too few decisions are kept";
  if (!(spread >= thresholds.slopeSpread)) return "replicas did not change enough in the kept decisions";
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanX, meanY] = [mean(xs), mean(points.map(({ y }) => y))];
  const up = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0);
  return up / points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
}

/** The controller goes by the field that is set, but for Object metrics. */
function contradictedType({ object }: ObjectContext): readonly Found[] {
  return object.metrics.flatMap((metric): readonly Found[] => {
    const { index, name, type, targetType, targetFields } = metric;
    const wanted = fieldOfTarget[targetType];
    if (wanted === undefined || targetFields.includes(wanted)) return [];
    // Where no field that the controller reads is set, the API server refuses the object.
    const types = targetTypes[fieldOfType[type] ?? "external"];
    const typeOfUsed = types.find((one) => targetFields.includes(fieldOfTarget[one] ?? ""));
    if (typeOfUsed === undefined) return [];
    const used = fieldOfTarget[typeOfUsed];
    const other = types.includes(targetType)
      ? ` if that's what you want, otherwise ${wanted} instead of ${used}`
      : "";
    const effect =
      type === "Object"
        ? "the controller finds no target, and the metric fails"
        : `the controller takes it as ${typeOfUsed}`;
    return [
      {
        // Of these two a single field counts, whatever the type.
        severity: type === "Pods" || isResourceMetric(metric) ? "warn" : "error",
        title: `the target of ${name} says ${targetType}, and ${used} is set: ${effect}`,
        evidence: [
          item(
            name,
            `has type: ${targetType} with ${used}: ${metric.target}`,
            `${object.kind} ${keyOf(object)} .spec.metrics[${index}]`,
          ),
        ],
        fix: `use type: ${typeOfUsed}${other}`,
      },
    ];
  });
}

function noReadyPod({ object, facts }: ObjectContext<"decision">): readonly Found[] {
  return metricSteps(facts.decision)
    .filter(({ rule, counts }) => rule === "ratio-times-ready" && counts?.ready === 0)
    .map(({ index, counts, first }) => ({ name: object.metrics[index]?.name ?? "", counts, first }))
    .map(({ name, counts, first }) => ({
      title: `no pod is ready, so the Value target of ${name} calls for 0 replicas`,
      evidence: [
        item("pods", `0 of ${counts?.unready ?? 0} are ready`, "the newest decision"),
        item(
          name,
          `is ${first?.total ?? "not known"}, and its ratio is multiplied by the ready pods`,
          "the newest decision",
        ),
      ],
    }));
}

function invalidSelector({ object }: ObjectContext): readonly Found[] {
  return object.metrics.flatMap(({ index, name, selector }) => {
    const matchExpressions = listOf(selector["matchExpressions"]).map(({ key, operator, values }) => ({
      key: textOf(key),
      operator: textOf(operator),
      values: textsOf(values),
    }));
    const problem = selectorProblem({ matchLabels: labelsOf(selector["matchLabels"]), matchExpressions });
    if (problem === undefined) return [];
    const where = `${object.kind} ${keyOf(object)} .spec.metrics[${index}]`;
    const title = `the label selector of ${name} is invalid, so the metric can't be read`;
    return [{ title, evidence: [item("its selector", problem, where)] }];
  });
}

export const metricRules: readonly Rule[] = [
  objectRule({
    id: "PL-028",
    severity: "warn",
    title: "a failed metric blocks the scale-down that the others call for",
    condition: "A metric can't be read, and the others call for fewer replicas.",
    fix: "fix the metric, or remove it; with a WorkloadAutoscaler, set onMetricFailure",
    isFromRecords: true,
    needs: ["decision"],
    applies: ({ metrics }) => metrics.length > 1,
    check: blockedByFailure,
  }),
  objectRule({
    id: "PL-029",
    severity: "warn",
    title: "the type of a metric's target doesn't match its values",
    condition:
      "A metric with a Value target does not fall when replicas are added, so it always calls for more. Or one with an AverageValue target falls like an average.",
    fix: "use an AverageValue target",
    isFromRecords: true,
    needs: ["history"],
    applies: ({ metrics }) => metrics.some(isShared),
    check: wrongTargetType,
  }),
  objectRule({
    id: "PL-054",
    severity: "error",
    title: "the type of a metric's target contradicts the field that is set",
    condition: "A target's type doesn't match the field that is set. The API server accepts it.",
    fix: "set type to match the field",
    isFromRecords: true,
    isForManifests: true,
    needs: [],
    check: contradictedType,
  }),
  objectRule({
    id: "PL-055",
    severity: "error",
    title: "no pod is ready, so a Value target calls for 0 replicas",
    condition:
      "An Object or External metric is above its Value target, and no pod is ready. The controller multiplies by the ready pods.",
    fix: "check why no pod is ready; a target of type AverageValue does not depend on ready pods",
    isFromRecords: true,
    needs: ["decision"],
    applies: ({ metrics }) => metrics.some(({ targetType }) => targetType === "Value"),
    check: noReadyPod,
  }),
  objectRule({
    id: "PL-058",
    severity: "error",
    title: "the label selector of a metric is invalid",
    condition:
      "A metric's label selector has an unknown operator, or values that its operator doesn't take. The API server accepts it.",
    fix: "use the operators In and NotIn with values, and Exists and DoesNotExist without",
    isFromRecords: true,
    isForManifests: true,
    needs: [],
    check: invalidSelector,
  }),
];
