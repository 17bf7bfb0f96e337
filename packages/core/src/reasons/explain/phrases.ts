// Phrases of explanations.
import type { PodReason, ProposalRule } from "../../objects/trace/metric.ts";

/** Why a pod counts as it does, after "N pods". */
export const podReasons: Readonly<Record<PodReason, string>> = {
  "has-sample": "with a usable sample",
  "being-deleted": "being deleted",
  failed: "in phase Failed",
  succeeded: "in phase Succeeded",
  pending: "in phase Pending",
  "no-sample": "without a sample",
  "no-ready-condition": "without a Ready condition",
  "no-start-time": "without a start time",
  "initializing-not-ready": "not ready within the CPU initialization period",
  "initializing-sample-too-early": "with a sample from before they became ready",
  "never-ready": "not ready since shortly after their start",
  "running-and-ready": "running and ready",
  "not-running": "not running",
  "not-ready": "running but not ready",
  "not-selected": "outside the selector",
};

export const ruleWords: Readonly<Record<ProposalRule, string>> = {
  "within-tolerance": "the ratio is within tolerance, so replicas don't change",
  "ratio-times-ready": "ratio × ready pods, rounded up",
  "ratio-times-all": "ratio × all counted pods, rounded up",
  "direction-changed":
    "with missing and unready pods counted, the direction reverses, so replicas don't change",
  "against-direction": "the result would go against the direction of the ratio, so replicas don't change",
  "from-zero": "from zero replicas: the ratio itself, rounded up",
  "total-over-target": "total ÷ target per pod, rounded up",
};

export const limitWords: Readonly<Record<string, string>> = {
  DesiredWithinRange: "within range",
  ScaleUpLimit: "capped by scale-up policies",
  ScaleDownLimit: "limited by scale-down policies",
  TooManyReplicas: "capped by maxReplicas",
  TooFewReplicas: "raised to minReplicas",
};
