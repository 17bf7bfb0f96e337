// Lowers the severity of findings while a rollout begins.

import { ageText, type Fields, textOf } from "@plimsoll/core/internal/values";
import type { ObjectEvidence } from "./evidence/facts.ts";
import { at } from "./evidence/fields.ts";
import { createdAtMs } from "./evidence/meta.ts";
import { valueOf } from "./evidence/reading.ts";
import type { EvidenceItem, Severity } from "./finding.ts";
import { severities } from "./finding.ts";
import { thresholds } from "./thresholds.ts";

/** Why findings on the object count for less; undefined when they do not. */
export function reliefOf({ facts }: ObjectEvidence, nowMs: number): EvidenceItem | undefined {
  const pods = valueOf(facts.pods);
  const startMs = pods === undefined ? undefined : rolloutStartMs(pods);
  if (startMs === undefined || nowMs - startMs >= thresholds.rolloutStartMs) return undefined;
  return {
    what: "severity",
    value: `one step lower, because a rollout began ${ageText(nowMs - startMs)} ago`,
    from: "pods .metadata.creationTimestamp",
  };
}

export function lowered(severity: Severity): Severity {
  return severities[Math.max(0, severities.indexOf(severity) - 1)] ?? "info";
}

const revisionLabels = ["pod-template-hash", "rollouts-pod-template-hash", "controller-revision-hash"];

/** Undefined while all pods are of one revision. */
function rolloutStartMs(pods: readonly Fields[]): number | undefined {
  const starts = new Map<string, number>();
  for (const pod of pods) {
    const revision = revisionOf(pod);
    const createdMs = createdAtMs(pod);
    if (revision === "" || createdMs === undefined) continue;
    starts.set(revision, Math.min(starts.get(revision) ?? Infinity, createdMs));
  }
  return starts.size < 2 ? undefined : Math.max(...starts.values());
}

function revisionOf(pod: Fields): string {
  for (const label of revisionLabels) {
    const value = textOf(at(pod, "metadata", "labels", label));
    if (value !== "") return value;
  }
  return "";
}
