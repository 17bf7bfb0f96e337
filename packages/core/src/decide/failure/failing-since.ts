// Since when metrics fail, for policies that wait.
import type { FailurePolicy } from "../../objects/failure-policy.ts";
import type { MetricSpec } from "../../objects/metric-spec.ts";
import type { MetricOutcome } from "../metrics/outcome.ts";
import { metricIdentity } from "./identity.ts";

/** By metric identity. */
export type FailingSince = Readonly<Record<string, number>>;

/** What is remembered after an evaluation: metrics that were read, and those whose policy does not wait, are not in it. */
export function failingSince(
  known: FailingSince,
  {
    specs,
    policies,
    outcomes,
    nowMs,
  }: {
    readonly specs: readonly MetricSpec[];
    readonly policies: readonly FailurePolicy[];
    readonly outcomes: readonly MetricOutcome[];
    readonly nowMs: number;
  },
): FailingSince {
  const failing: Record<string, number> = {};
  specs.forEach((spec, i) => {
    if (waitMs(policies[i]) === 0 || outcomes[i]?.ok !== false) return;
    failing[metricIdentity(spec)] = beganMs(spec, known, nowMs);
  });
  return failing;
}

/** When the policy of a failing metric is used at last; undefined: it is used now. */
export function waitsUntil(
  spec: MetricSpec,
  policy: FailurePolicy,
  known: FailingSince,
  nowMs: number,
): number | undefined {
  const wait = waitMs(policy);
  if (wait === 0) return undefined;
  const untilMs = beganMs(spec, known, nowMs) + wait;
  return nowMs < untilMs ? untilMs : undefined;
}

function waitMs(policy: FailurePolicy | undefined): number {
  if (policy === undefined || policy.policy === "Block") return 0;
  const { afterSeconds = 0 } = policy;
  return Number.isFinite(afterSeconds) && afterSeconds > 0 ? afterSeconds * 1000 : 0;
}

/** A beginning in the future is that of a clock that was set back. */
function beganMs(spec: MetricSpec, known: FailingSince, nowMs: number): number {
  const began = known[metricIdentity(spec)];
  return typeof began === "number" && began <= nowMs ? began : nowMs;
}
