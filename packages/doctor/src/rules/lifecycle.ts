// Rules about autoscalers that are paused, that another tool reports as ready, and about Plimsoll itself.
import { instantMs } from "@plimsoll/core";
import { ageText, type Fields, shellWord, textOf } from "@plimsoll/core/internal/values";
import { type Autoscaler, keyOf, ownCondition } from "../evidence/autoscaler.ts";
import type { Installation } from "../evidence/facts.ts";
import { at, labelsOf, numberOf } from "../evidence/fields.ts";
import { conditionOf, nameOf, namespaceOf } from "../evidence/meta.ts";
import type { FindingObject } from "../finding.ts";
import {
  type ClusterContext,
  checkPart,
  clusterRule,
  type Found,
  item,
  type ObjectContext,
  type Outcome,
  objectRule,
  type Rule,
} from "../rule.ts";
import { printSome } from "../text/lists.ts";
import { thresholds } from "../thresholds.ts";
import { isHpaOf } from "./conflicts.ts";

function pausedTooLong(context: ObjectContext): readonly Outcome[] {
  const { object, readings } = context;
  if (object.kind === "WorkloadAutoscaler") return pausedWla(context);
  return checkPart(readings.scaledObjects, (found) =>
    found.filter((one) => isHpaOf(object, one)).flatMap((one) => pausedScaledObject(object, one)),
  );
}

function pausedWla({ object, nowMs }: ObjectContext): readonly Outcome[] {
  const pause = at(object.raw, "spec", "pause");
  if (object.mode !== "Paused" || textOf(at(pause, "until")) !== "") return [];
  const paused = ownCondition(object, "Paused");
  if (paused?.status !== "True" || paused.sinceMs === undefined)
    return [{ skipped: "the time of the pause is unknown" }];
  const ageMs = nowMs - paused.sinceMs;
  if (ageMs < thresholds.pausedMs) return [];
  const reason = textOf(at(pause, "reason"));
  return [
    {
      title: `paused for ${ageText(ageMs)}, without an end`,
      evidence: [
        item(
          "mode",
          `is Paused for ${ageText(ageMs)}${reason === "" ? "" : `: ${reason}`}`,
          `WorkloadAutoscaler ${keyOf(object)} .spec.mode`,
        ),
      ],
      command: `kubectl patch wla ${shellWord(object.name)} -n ${shellWord(object.namespace)} --type=merge -p '{"spec":{"mode":"Active","pause":null}}'`,
    },
  ];
}

function pausedScaledObject({ namespace }: Autoscaler, scaledObject: Fields): readonly Found[] {
  const paused = conditionOf(scaledObject, "Paused");
  const annotations = labelsOf(at(scaledObject, "metadata", "annotations"));
  const isAsked = Object.keys(annotations).some((key) => key.startsWith("autoscaling.keda.sh/paused"));
  if (paused?.status !== "True" || isAsked) return [];
  return [
    {
      title: "the ScaledObject is Paused without a pause annotation",
      evidence: [
        item(
          `ScaledObject ${nameOf(scaledObject)}`,
          "has the condition Paused and no annotation autoscaling.keda.sh/paused",
          `ScaledObject ${namespace}/${nameOf(scaledObject)} .status.conditions`,
        ),
      ],
      fix: "set the annotation and remove it again; KEDA then resumes the object",
    },
  ];
}

function readyWithoutMetrics({ object, facts, nowMs }: ObjectContext<"scaledObjects">): readonly Found[] {
  const active = ownCondition(object, "ScalingActive");
  if (active?.status !== "False" || !active.reason.startsWith("FailedGet") || active.sinceMs === undefined)
    return [];
  const ageMs = nowMs - active.sinceMs;
  if (ageMs < thresholds.withoutMetricsMs) return [];
  return facts.scaledObjects
    .filter((one) => isHpaOf(object, one) && conditionOf(one, "Ready")?.status === "True")
    .map((one) => ({
      title: `the ScaledObject is Ready, and its HorizontalPodAutoscaler has had no metrics for ${ageText(ageMs)}`,
      evidence: [
        item(
          `ScaledObject ${nameOf(one)}`,
          "is Ready",
          `ScaledObject ${object.namespace}/${nameOf(one)} .status.conditions`,
        ),
        item(active.reason, active.message, `${object.kind} ${keyOf(object)} .status.conditions`),
      ],
    }));
}

const autoscaler: FindingObject = {
  kind: "Deployment",
  resource: "deployments",
  namespace: "",
  name: "plimsoll-autoscaler",
};

function brokenInstallation({
  facts: { installation },
  nowMs,
}: ClusterContext<"installation">): readonly Found[] {
  if (installation === undefined) return [];
  return [
    ...ownerlessLeases(installation, nowMs),
    ...oldDefinition(installation),
    ...oldDecisions(installation, nowMs),
  ].map((found) => ({ ...found, object: autoscaler }));
}

function ownerlessLeases({ leases }: Installation, nowMs: number): readonly Found[] {
  const ownerless = leases.filter((lease) => {
    const renewedMs = instantMs(at(lease, "spec", "renewTime"));
    const durationMs = (numberOf(at(lease, "spec", "leaseDurationSeconds")) ?? 15) * 1000;
    const holder = textOf(at(lease, "spec", "holderIdentity"));
    return holder === "" || renewedMs === undefined || nowMs - renewedMs > durationMs * 2;
  });
  // One that is held is enough: an installation that was moved leaves its lease behind.
  if (ownerless.length === 0 || ownerless.length < leases.length) return [];
  return [
    {
      title: "no autoscaler replica holds the lease, so no decisions are made",
      evidence: [
        item(
          "not held",
          printSome(ownerless.map((lease) => keyOf({ namespace: namespaceOf(lease), name: nameOf(lease) }))),
          "leases .spec.renewTime",
        ),
      ],
      fix: "check why its pods don't run or can't reach the API server; see docs/troubleshooting.md",
    },
  ];
}

function oldDefinition({ missingFields }: Installation): readonly Found[] {
  if (missingFields.length === 0) return [];
  return [
    {
      title: "the CustomResourceDefinition of WorkloadAutoscalers is older than this program",
      evidence: [
        item(
          "it lacks",
          printSome(missingFields),
          "CustomResourceDefinition workloadautoscalers.autoscaling.plimsoll.dev",
        ),
      ],
      fix: "apply the CustomResourceDefinitions of the release; see docs/upgrade.md for the order",
    },
  ];
}

function oldDecisions({ newestDecision }: Installation, nowMs: number): readonly Found[] {
  if (newestDecision === undefined) return [];
  const ageMs = nowMs - newestDecision.atMs;
  if (ageMs <= newestDecision.periodMs * thresholds.decisionPeriods) return [];
  return [
    {
      title: `the newest decision is ${ageText(ageMs)} old`,
      evidence: [
        item(
          "newest decision",
          `is ${ageText(ageMs)} old; the period is ${ageText(newestDecision.periodMs)}`,
          "/apis/decisions/v1/summary",
        ),
      ],
      fix: "check its log and plimsoll_autoscaler metrics: it can't reach the API server, or has too many objects for its period",
    },
  ];
}

export const lifecycleRules: readonly Rule[] = [
  objectRule({
    id: "PL-044",
    severity: "warn",
    title: "paused for a long time, or without an annotation",
    condition:
      "A WorkloadAutoscaler is Paused for more than 24 hours without `pause.until`, or a ScaledObject is Paused without an annotation.",
    fix: "resume it, or set an end with spec.pause.until",
    isFromRecords: true,
    needs: [],
    uses: ["scaledObjects"],
    check: pausedTooLong,
  }),
  objectRule({
    id: "PL-045",
    severity: "warn",
    title: "a ScaledObject is Ready while its HorizontalPodAutoscaler has no metrics",
    condition:
      "The ScaledObject has the condition Ready, and ScalingActive of its HorizontalPodAutoscaler is False for 10 minutes or longer.",
    fix: "see PL-018 to PL-022: a Ready ScaledObject can still have unreadable metrics",
    needs: ["scaledObjects"],
    applies: ({ kind }) => kind === "HorizontalPodAutoscaler",
    check: readyWithoutMetrics,
  }),
  clusterRule({
    id: "PL-046",
    severity: "error",
    title: "the autoscaler itself isn't working",
    condition:
      "No process holds the lease, the CRD is older than this program, or decisions are older than three periods.",
    fix: "see docs/troubleshooting.md",
    needs: ["installation"],
    check: brokenInstallation,
  }),
];
