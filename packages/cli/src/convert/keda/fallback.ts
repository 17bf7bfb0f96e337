// What KEDA does while a trigger fails, as a failure policy.
import type { FailurePolicy } from "@plimsoll/core";
import type { Findings } from "../findings.ts";
import { type FieldReader, quantityText } from "../values.ts";
import type { PrometheusTrigger } from "./trigger.ts";

export interface KedaFallback {
  readonly path: string;
  readonly replicas: number;
  readonly behavior: string;
}

const behaviors = ["static", "currentReplicas", "currentReplicasIfHigher", "currentReplicasIfLower"];
const fields = ["failureThreshold", "replicas", "behavior"];

export function readFallback(spec: FieldReader, findings: Findings): KedaFallback | undefined {
  if (spec.value["fallback"] === undefined || spec.value["fallback"] === null) return undefined;
  const fallback = spec.inner("fallback");
  fallback.onlyKnown(fields, "fallback");
  const threshold = fallback.whole("failureThreshold", 0) ?? 0;
  const replicas = fallback.whole("replicas", 0) ?? 0;
  const behavior = fallback.text("behavior") ?? "static";
  if (!behaviors.includes(behavior)) {
    findings.problem({
      path: fallback.at("behavior"),
      value: behavior,
      message:
        behavior === "scalingModifiers"
          ? "belongs to scalingModifiers, which have no counterpart"
          : "is no behavior of a fallback",
      remedy: `write one of ${behaviors.join(", ")}`,
    });
    return undefined;
  }
  if (threshold > 0)
    findings.note({
      path: fallback.at("failureThreshold"),
      value: threshold,
      message: `is left out: KEDA falls back after ${threshold + 1} failures in a row, a WorkloadAutoscaler at the first`,
      remedy:
        "nothing is to be done, unless short failures must not change the replicas: then leave onMetricFailure out",
    });
  if (behavior === "currentReplicasIfLower")
    findings.note({
      path: fallback.at("behavior"),
      value: behavior,
      message: `has no counterpart: a failure keeps the replicas, and does not lower them to ${replicas}`,
      remedy: "nothing is to be done, or write onMetricFailure with another policy",
    });
  return { path: fallback.path, replicas, behavior };
}

/**
 * The policy of one trigger; undefined keeps the replicas while it fails, which KEDA does without a fallback, and for
 * currentReplicas. KEDA's static fallback serves the target times the replicas as the value of the metric, as Assume does.
 */
export function policyOf(
  { threshold, isValue }: PrometheusTrigger,
  { behavior, replicas }: KedaFallback,
): FailurePolicy | undefined {
  const fixed = { policy: "Fallback", replicas } as const;
  switch (behavior) {
    case "static":
      if (!isValue) return { policy: "Assume", value: quantityText(threshold * replicas) };
      return replicas === 0 ? { policy: "Assume", value: "0" } : fixed;
    case "currentReplicasIfHigher":
      return replicas === 0 ? undefined : fixed;
    default:
      return undefined;
  }
}

/** What differs where other metrics can still be read. */
export function noteOthers(
  { path, behavior, replicas }: KedaFallback,
  triggers: number,
  findings: Findings,
): void {
  if (behavior !== "currentReplicasIfHigher" || triggers < 2) return;
  findings.note({
    path: `${path}.behavior`,
    value: behavior,
    message: `is written as a fallback to ${replicas}: while other triggers can be read, they may lower the replicas to it, where KEDA keeps more`,
    remedy: "leave onMetricFailure out to keep the replicas",
  });
}
