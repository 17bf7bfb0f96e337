// What a step did, as a sentence.
import type { DecideInput, Decision, HpaMemory, Recommendation } from "../../objects/decision.ts";
import type { StabilizeTrace } from "../../objects/trace/step.ts";
import { clockText } from "../explain/clock.ts";
import { reasonSentence } from "../explain/head-line.ts";
import { rangeText } from "../explain/metric.ts";
import { metricOf, stepOf } from "../summary/step-of.ts";
import type { HeldBy } from "../summary/types.ts";

interface Query {
  readonly input: DecideInput;
  readonly memory: HpaMemory | undefined;
}

export function whyText(
  { input, memory }: Query,
  { decision }: { readonly decision: Decision },
  step: HeldBy,
): string {
  const { trace } = decision;
  const { nowMs } = input;
  if (step === "stabilize")
    return windowText(stepOf(trace, "stabilize"), nowMs, memory?.recommendations ?? []);
  if (step === "tolerance") {
    const metric = metricOf(trace, stepOf(trace, "combine")?.winner);
    return metric === undefined ? "" : `Within tolerance: ${rangeText(metric)}.`;
  }
  const limit = stepOf(trace, "limit");
  if (limit !== undefined && (step === "rate" || step === "min" || step === "max"))
    return limitText(decision);
  return reasonSentence(decision, nowMs);
}

function windowText(
  step: StabilizeTrace | undefined,
  nowMs: number,
  recommendations: readonly Recommendation[],
): string {
  if (step?.heldBy === undefined) return "";
  const { heldBy, desired, result, downWindowSeconds, upWindowSeconds = 0 } = step;
  const isDown = result > desired;
  const seconds = isDown ? downWindowSeconds : upWindowSeconds;
  const since = clockText(nowMs - seconds * 1000, nowMs);
  // The one that holds for the longest time need not be the extreme.
  const extreme = (isDown ? step.highest : step.lowest) ?? heldBy.replicas;
  const [{ atMs } = heldBy] = recommendations
    .filter(({ replicas }) => replicas === extreme)
    .toSorted((one, other) => other.atMs - one.atMs);
  return `Held by the stabilization window: the ${isDown ? "highest" : "lowest"} recommendation since ${since} is ${extreme} (${clockText(atMs, nowMs)}).`;
}

/** What the limits allow, as a sentence; empty where they took no part. */
function limitText({ trace }: Pick<Decision, "trace">): string {
  const limit = stepOf(trace, "limit");
  if (limit === undefined || limit.from === limit.result) return "";
  const { reason, result, maxReplicas, minReplicas, from } = limit;
  if (reason === "TooManyReplicas") return `Capped by maxReplicas (${maxReplicas}).`;
  if (reason === "TooFewReplicas") return `Raised to minReplicas (${minReplicas}).`;
  const direction = from > result ? "up" : "down";
  return stepOf(trace, "rate")?.selectPolicy === "Disabled"
    ? `Scaling ${direction} is disabled.`
    : `Scale-${direction} policies allow only ${result} now.`;
}
