// What KEDA does while a trigger fails, as a failure policy.
import type { FailurePolicy } from "@plimsoll/core";
import type { Findings } from "../findings.ts";
import { type FieldReader, quantityText } from "../values.ts";
import type { PrometheusTrigger } from "./trigger.ts";

export interface KedaFallback {
  readonly path: string;
  readonly replicas: number;
  readonly behavior: string;
  /** How long a metric fails first: the HPA reads it every 15 s, and each failed reading counts. */
  readonly afterSeconds: number;
}

const behaviors = ["static", "currentReplicas", "currentReplicasIfHigher", "currentReplicasIfLower"];
const hpaSyncSeconds = 15;
const maxAfterSeconds = 86_400;
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
          ? "belongs to scalingModifiers, which have no equivalent"
          : "is not a behavior of a fallback",
      remedy: `use one of ${behaviors.join(", ")}`,
    });
    return undefined;
  }
  const afterSeconds = Math.min(threshold * hpaSyncSeconds, maxAfterSeconds);
  if (afterSeconds < threshold * hpaSyncSeconds)
    findings.note({
      path: fallback.at("failureThreshold"),
      value: threshold,
      message: `is written as afterSeconds: ${maxAfterSeconds}, the longest time`,
      remedy: "remove onMetricFailure to keep the replicas for longer",
    });
  if (behavior === "currentReplicasIfLower")
    findings.note({
      path: fallback.at("behavior"),
      value: behavior,
      message: `has no equivalent: a failure keeps the replicas instead of lowering them to ${replicas}`,
      remedy: "nothing to do, or set onMetricFailure with another policy",
    });
  return { path: fallback.path, replicas, behavior, afterSeconds };
}

type Replacing = Exclude<FailurePolicy, { readonly policy: "Block" }>;

/** The policy of one trigger, with the time that KEDA takes until it falls back. */
export function policyOf(trigger: PrometheusTrigger, fallback: KedaFallback): Replacing | undefined {
  const policy = replacing(trigger, fallback);
  const { afterSeconds } = fallback;
  return policy === undefined || afterSeconds === 0 ? policy : { ...policy, afterSeconds };
}

/**
 * Undefined keeps the replicas while it fails, which KEDA does without a fallback, and for
 * currentReplicas. KEDA's static fallback serves the target times the replicas as the value of the metric, as Assume does.
 */
function replacing(
  { threshold, isValue }: PrometheusTrigger,
  { behavior, replicas }: KedaFallback,
): Replacing | undefined {
  const fixed: Replacing = { policy: "Fallback", replicas };
  switch (behavior) {
    case "static":
      if (!isValue) return { policy: "Assume", value: quantityText(threshold * replicas) };
      return replicas === 0 ? { policy: "Assume", value: "0" } : { ...fixed, allowScaleDown: true };
    case "currentReplicasIfHigher":
      return replicas === 0 ? undefined : fixed;
    default:
      return undefined;
  }
}

/** What differs where other metrics can still be read. */
export function noteOthers(
  { path, behavior, replicas }: KedaFallback,
  { triggers, queries }: { readonly triggers: number; readonly queries: number },
  findings: Findings,
): void {
  if (queries === 0) {
    const message = "is left out: only queries have a fallback, and there is no trigger with one";
    findings.note({ path, message, remedy: "nothing to do" });
  }
  if (behavior !== "currentReplicasIfHigher" || triggers < 2 || queries === 0) return;
  findings.note({
    path: `${path}.behavior`,
    value: behavior,
    message: `is written as a fallback to ${replicas}: other readable triggers may lower the replicas to it, while KEDA keeps more`,
    remedy: "remove onMetricFailure to keep the replicas",
  });
}
