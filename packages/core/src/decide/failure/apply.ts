// Applies failure policies to the metrics that could not be read.

import type { FailurePolicy, LastGoodSamples } from "../../objects/failure-policy.ts";
import type { MetricSpec } from "../../objects/metric-spec.ts";
import type { MetricSamples } from "../../objects/samples.ts";
import type { FailurePolicyTrace } from "../../objects/trace/failure-policy.ts";
import { int32From } from "../../values/number/go-float.ts";
import { formatInstant } from "../../values/time/rfc3339.ts";
import type { MetricContext } from "../metrics/context.ts";
import { evaluateMetric } from "../metrics/evaluate.ts";
import type { MetricOutcome } from "../metrics/outcome.ts";
import { type FailingSince, waitsUntil } from "./failing-since.ts";
import { metricIdentity } from "./identity.ts";

/** The policies of one object's metrics, and what they may go back to. */
export interface MetricPolicies {
  /** By position in spec.metrics. */
  readonly policies: readonly FailurePolicy[];
  readonly maxReplicas: number;
  /** By metric identity. */
  readonly lastGoodSamples: Readonly<Record<string, LastGoodSamples>>;
  /** By metric identity: what the evaluations before this one found. */
  readonly failingSinceMs: FailingSince;
}

/** What the policies make of the outcomes of all metrics. */
export interface Policed {
  /** By position: what takes part in the combination; undefined where the metric is left out. */
  readonly joined: readonly (MetricOutcome | undefined)[];
  /** By position: what the trace shows of the metric itself. */
  readonly shown: readonly MetricOutcome[];
  /** By position: the steps of the trace. */
  readonly steps: readonly (FailurePolicyTrace | undefined)[];
}

interface Replacement {
  readonly joined: MetricOutcome | undefined;
  readonly shown: MetricOutcome;
  readonly step: FailurePolicyTrace;
}

type FailedOutcome = Extract<MetricOutcome, { ok: false }>;

/**
 * Puts in the place of each failed metric what its policy says: other samples, one more proposal, or nothing. Without
 * any reading at all nothing is lowered, unless a fallback says so: another one counts only above the current replicas.
 */
export function applyFailurePolicies(
  specs: readonly MetricSpec[],
  outcomes: readonly MetricOutcome[],
  policed: MetricPolicies,
  context: MetricContext,
): Policed {
  const replacements = outcomes.map((outcome, index): Replacement | undefined => {
    const policy = policed.policies[index];
    const spec = specs[index];
    if (outcome.ok || spec === undefined || policy === undefined || policy.policy === "Block")
      return undefined;
    return replace({ outcome, index, spec, policy }, policed, context);
  });
  const joined = outcomes.map((outcome, i) => {
    const replacement = replacements[i];
    return replacement === undefined ? outcome : replacement.joined;
  });
  const shown = outcomes.map((outcome, i) => replacements[i]?.shown ?? outcome);
  const steps = replacements.map((replacement) => replacement?.step);
  const mayLower = steps.some((step, i) => step?.isApplied === true && allowsScaleDown(policed.policies[i]));
  if (mayLower || shown.some(({ ok }) => ok)) return { joined, shown, steps };
  const highest = Math.max(...joined.map((outcome) => (outcome?.ok === true ? outcome.replicas : 0)));
  if (highest > context.specReplicas) return { joined, shown, steps };
  return { joined: outcomes, shown, steps: steps.map((step) => step && withoutOthers(step)) };
}

function allowsScaleDown(policy: FailurePolicy | undefined): boolean {
  return policy?.policy === "Fallback" && policy.allowScaleDown === true;
}

/** No metric can be read: what was left out holds the replicas. */
function withoutOthers(step: FailurePolicyTrace): FailurePolicyTrace {
  return step.policy === "Ignore" ? { ...step, isApplied: false } : step;
}

function replace(
  failed: {
    readonly outcome: FailedOutcome;
    readonly index: number;
    readonly spec: MetricSpec;
    readonly policy: Exclude<FailurePolicy, { policy: "Block" }>;
  },
  { lastGoodSamples, failingSinceMs, maxReplicas }: MetricPolicies,
  context: MetricContext,
): Replacement {
  const { outcome, index, spec, policy } = failed;
  const { name, reason, message } = outcome;
  const step: FailurePolicyTrace = {
    kind: "failure-policy",
    index,
    name,
    policy: policy.policy,
    error: { reason, message },
    isApplied: true,
  };
  const waitsUntilMs = waitsUntil(spec, policy, failingSinceMs, context.nowMs);
  if (waitsUntilMs !== undefined)
    return { joined: outcome, shown: outcome, step: { ...step, waitsUntilMs, isApplied: false } };
  const withSamples = (
    samples: MetricSamples | undefined,
    detail: Partial<FailurePolicyTrace>,
  ): Replacement => {
    const other = samples === undefined ? outcome : evaluateMetric(spec, samples, context);
    return { joined: other, shown: other, step: { ...step, ...detail, isApplied: other.ok } };
  };
  switch (policy.policy) {
    case "HoldLast": {
      const last = recentSamples(lastGoodSamples[metricIdentity(spec)], policy.forSeconds, context.nowMs);
      return withSamples(last?.samples, last === undefined ? {} : { sampledAtMs: last.atMs });
    }
    case "Assume":
      return withSamples(assumedSamples(spec, policy.value, context), { value: String(policy.value) });
    case "Fallback": {
      const replicas = Math.min(int32From(policy.replicas, 0), maxReplicas);
      const proposal = {
        ok: true,
        replicas,
        name: `fallback of ${name}`,
        status: { type: "" },
        trace: {},
      } as const;
      return { joined: proposal, shown: outcome, step: { ...step, replicas } };
    }
    case "Ignore":
      return { joined: undefined, shown: outcome, step };
  }
}

/** Samples from the future are those of a clock that was set back. */
function recentSamples(
  last: LastGoodSamples | undefined,
  forSeconds: number,
  nowMs: number,
): LastGoodSamples | undefined {
  const ageMs = last === undefined ? Number.POSITIVE_INFINITY : nowMs - last.atMs;
  return ageMs >= 0 && ageMs <= forSeconds * 1000 ? last : undefined;
}

/** The samples of Assume: one value of everything a metric is about; undefined where its value has several parts. */
function assumedSamples(
  { type }: MetricSpec,
  given: string | number,
  { nowMs, pods }: Pick<MetricContext, "nowMs" | "pods">,
): MetricSamples | undefined {
  const value = String(given);
  const timestamp = formatInstant(nowMs);
  switch (type) {
    case "Object":
      return { value, timestamp };
    case "External":
      return { values: [{ value, timestamp }] };
    case "Pods":
      return { pods: pods().map(({ name }) => ({ name, value, timestamp })) };
    default:
      return undefined;
  }
}
