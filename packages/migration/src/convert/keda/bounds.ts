// The replicas that a ScaledObject allows.
import type { Findings } from "../findings.ts";
import type { FieldReader } from "../values.ts";

export interface KedaBounds {
  /** While a trigger is active: minReplicaCount, and 1 at least. */
  readonly active: number;
  /** While none is: idleReplicaCount, or else minReplicaCount. */
  readonly inactive: number;
  readonly max: number;
  /** Which field says how many replicas there are without an active trigger. */
  readonly inactiveField: "idleReplicaCount" | "minReplicaCount";
}

export function readBounds(spec: FieldReader, findings: Findings): KedaBounds {
  const min = spec.whole("minReplicaCount", 0) ?? 0;
  const max = spec.whole("maxReplicaCount", 1) ?? 100;
  const idle = spec.whole("idleReplicaCount", 0);
  if (min > max)
    findings.problem({
      path: spec.at("minReplicaCount"),
      value: min,
      message: `is above maxReplicaCount, ${max}`,
      remedy: "lower it, or raise maxReplicaCount",
    });
  // KEDA takes a 0 that is written for the 1 of its HPA, and an absent one for 0.
  const least = spec.value["minReplicaCount"] === 0 ? 1 : min;
  if (idle !== undefined && idle >= least)
    findings.problem({
      path: spec.at("idleReplicaCount"),
      value: idle,
      message: `is not below minReplicaCount, ${min}`,
      remedy: "correct one of them; KEDA also rejects this",
    });
  return {
    active: Math.max(1, min),
    inactive: idle ?? min,
    max,
    inactiveField: idle === undefined ? "minReplicaCount" : "idleReplicaCount",
  };
}

/** Whether there are fewer replicas without an active trigger than the HPA would keep. */
export function rests({ active, inactive }: KedaBounds): boolean {
  return inactive < active;
}
