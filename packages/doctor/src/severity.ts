// Lowers the severity of findings on objects that have just begun.

import type { ObjectEvidence } from "./evidence/facts.ts";
import { valueOf } from "./evidence/reading.ts";
import { rolloutStartMs } from "./evidence/rollout.ts";
import type { EvidenceItem, Severity } from "./finding.ts";
import { severities } from "./finding.ts";
import { printAge } from "./text/time.ts";
import { thresholds } from "./thresholds.ts";

/** Why findings on the object count for less; undefined when they do not. */
export function reliefOf({ object, facts }: ObjectEvidence, nowMs: number): EvidenceItem | undefined {
  const ageMs = object.createdAtMs === undefined ? Infinity : nowMs - object.createdAtMs;
  if (ageMs < thresholds.youngObjectMs) {
    return {
      what: "severity",
      value: `one step lower, because the object is ${printAge(ageMs)} old`,
      from: `${object.kind} ${object.namespace}/${object.name} .metadata.creationTimestamp`,
    };
  }
  const pods = valueOf(facts.pods);
  const startMs = pods === undefined ? undefined : rolloutStartMs(pods);
  if (startMs === undefined || nowMs - startMs >= thresholds.rolloutStartMs) return undefined;
  return {
    what: "severity",
    value: `one step lower, because a rollout began ${printAge(nowMs - startMs)} ago`,
    from: "pods .metadata.creationTimestamp",
  };
}

export function lowered(severity: Severity): Severity {
  return severities[Math.max(0, severities.indexOf(severity) - 1)] ?? "info";
}
