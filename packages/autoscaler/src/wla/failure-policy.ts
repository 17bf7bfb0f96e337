import {
  type DecideInput,
  type DecideResult,
  defaultHpa,
  type HpaMemory,
  type MetricSamples,
  type MetricSpec,
  type TraceStep,
} from "@plimsoll/core";
import { reachableFloor } from "./floor.ts";

/** spec.metrics[].onMetricFailure. */
export interface FailurePolicy {
  readonly policy: "Block" | "HoldLast" | "Ignore" | "Assume" | "Fallback";
  readonly forSeconds?: number;
  readonly value?: string | number;
  readonly replicas?: number;
}

/** The last reading of a metric that gave a proposal. */
export interface GoodReading {
  readonly samples: MetricSamples;
  readonly atMs: number;
}

/** One link of the chain of reasons: what stood for a metric that failed. */
export interface FailurePolicyStep {
  readonly kind: "failure-policy";
  /** Position in spec.metrics. */
  readonly index: number;
  readonly policy: FailurePolicy["policy"];
  readonly error: string;
  /** In a sentence, what was done; "blocked" policies have their own. */
  readonly effect: string;
  /** False when the policy had nothing to offer, and the metric failed after all. */
  readonly isApplied: boolean;
}

export interface PolicedResult {
  readonly result: DecideResult;
  readonly steps: readonly FailurePolicyStep[];
  readonly good: readonly (GoodReading | undefined)[];
}

type Decide = (input: DecideInput, memory?: HpaMemory) => DecideResult;

/**
 * Decides, and where metrics fail decides again with what their policies put in their place. Pure, as `decide` is:
 * the arithmetic stays there, and a floor is a higher minReplicas.
 */
export function decideWithPolicies(
  input: DecideInput,
  o: {
    readonly decide: Decide;
    readonly memory: HpaMemory | undefined;
    /** The same with what may have been added before; `memory` when absent. */
    readonly memoryOnTheWayUp?: HpaMemory | undefined;
    readonly policies: readonly FailurePolicy[];
    readonly good: readonly (GoodReading | undefined)[];
  },
): PolicedResult {
  const first = o.decide(input, o.memory);
  const metrics = defaultHpa(input.hpa).spec.metrics ?? [];
  const errors = failuresOf(first);
  const isEvaluated = first.decision.trace.some(({ kind }) => kind === "combine");
  const good = metrics.map((_, index) =>
    isEvaluated && !errors.has(index)
      ? { samples: input.samples[index] ?? { pods: [] }, atMs: input.nowMs }
      : o.good[index],
  );
  const failing = [...errors].filter(([index]) => (o.policies[index]?.policy ?? "Block") !== "Block");
  if (failing.length === 0) return { result: first, steps: [], good };

  const samples = [...input.samples];
  const leftOut = new Set<number>();
  const steps: FailurePolicyStep[] = [];
  let floor = 0;
  for (const [index, error] of failing) {
    const policy = o.policies[index] ?? { policy: "Block" };
    const step = (effect: string, isApplied = true) =>
      steps.push({ kind: "failure-policy", index, policy: policy.policy, error, effect, isApplied });
    switch (policy.policy) {
      case "Block":
        break;
      case "HoldLast": {
        const last = o.good[index];
        const ageMs = last === undefined ? Number.POSITIVE_INFINITY : input.nowMs - last.atMs;
        if (last === undefined || ageMs < 0 || ageMs > (policy.forSeconds ?? 0) * 1000) {
          step("there is no reading recent enough to hold: the metric blocks scale-downs", false);
          break;
        }
        samples[index] = last.samples;
        step(`its reading of ${new Date(last.atMs).toISOString()} is held`);
        break;
      }
      case "Ignore":
        leftOut.add(index);
        step("the other metrics decide without it");
        break;
      case "Assume": {
        const assumed = assumedSamples(metrics[index], policy.value, input);
        if (assumed === undefined) {
          step("a value cannot be assumed for this type of metric: it blocks scale-downs", false);
          break;
        }
        samples[index] = assumed;
        step(`${policy.value} is assumed`);
        break;
      }
      case "Fallback":
        leftOut.add(index);
        floor = Math.max(floor, Math.min(policy.replicas ?? 0, input.hpa.spec.maxReplicas));
        step(`the floor is ${policy.replicas ?? 0} replicas, within the policies of scaleUp`);
        break;
    }
  }
  // With nothing left to decide on, what failed stays in and holds the count, above the floor.
  if (leftOut.size === metrics.length) leftOut.clear();
  const keptAt = metrics.map((_, index) => index).filter((index) => !leftOut.has(index));
  const kept = <T>(items: readonly T[]) => items.filter((_, index) => !leftOut.has(index));
  const minReplicas = input.hpa.spec.minReplicas ?? 1;
  const decideAbove = (least: number) =>
    o.decide(
      {
        ...input,
        samples: kept(metrics.map((_, index) => samples[index] ?? { pods: [] })),
        hpa: { ...input.hpa, spec: { ...input.hpa.spec, minReplicas: least, metrics: kept(metrics) } },
      },
      o.memory,
    );
  const least = Math.max(minReplicas, reachableFloor(floor, input, o.memoryOnTheWayUp ?? o.memory));
  const second = decideAbove(least);
  // Below its minimum a count is raised to it without a look at the metrics, which may want more.
  const isRaised = input.scale.ok && input.scale.specReplicas < least && least > minReplicas;
  const free = isRaised ? decideAbove(minReplicas) : second;
  const chosen = free.decision.desiredReplicas > second.decision.desiredReplicas ? free : second;
  return { result: withEventsOf(first, withPositions(chosen, keptAt)), steps, good };
}

function failuresOf({ decision }: DecideResult): ReadonlyMap<number, string> {
  const errors = new Map<number, string>();
  for (const step of decision.trace) {
    if (step.kind === "metric" && step.error !== undefined) errors.set(step.index, step.error.message);
  }
  return errors;
}

/** Positions in the trace are those in the object's own list. */
function withPositions(result: DecideResult, at: readonly number[]): DecideResult {
  const position = (index: number) => at[index] ?? index;
  const trace = result.decision.trace.map((step): TraceStep => {
    if (step.kind === "metric") return { ...step, index: position(step.index) };
    if (step.kind !== "combine") return step;
    return {
      ...step,
      proposals: step.proposals.map((proposal) => ({ ...proposal, index: position(proposal.index) })),
      ...(step.winner === undefined ? {} : { winner: position(step.winner) }),
    };
  });
  return { ...result, decision: { ...result.decision, trace } };
}

/** A metric's failure is told whatever stands in for it. */
function withEventsOf(first: DecideResult, second: DecideResult): DecideResult {
  const told = new Set(second.decision.events.map(({ reason, message }) => `${reason}|${message}`));
  const failures = first.decision.events.filter(
    ({ reason, message }) => /^FailedGet\w+Metric$/.test(reason) && !told.has(`${reason}|${message}`),
  );
  return { ...second, decision: { ...second.decision, events: [...failures, ...second.decision.events] } };
}

function assumedSamples(
  metric: MetricSpec | undefined,
  value: string | number | undefined,
  input: DecideInput,
): MetricSamples | undefined {
  if (metric === undefined || value === undefined) return undefined;
  const text = String(value);
  const timestamp = new Date(input.nowMs).toISOString();
  switch (metric.type) {
    case "Object":
      return { value: text, timestamp };
    case "External":
      return { values: [{ value: text, timestamp }] };
    case "Pods":
      if (!input.pods.ok) return undefined;
      return {
        pods: input.pods.pods.map(({ metadata }) => ({ name: metadata?.name ?? "", value: text, timestamp })),
      };
    default:
      return undefined;
  }
}
