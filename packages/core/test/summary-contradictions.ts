// What a summary says otherwise than the trace of its decision.
import { type Decision, type DecisionSummary, summarize, type TraceStep } from "../src/index.ts";

type Steps = { readonly [K in TraceStep["kind"]]?: Extract<TraceStep, { kind: K }> };

/** Sentences, one for each; empty when the summary and the trace agree. */
export function contradictions(decision: Decision): readonly string[] {
  const summary = summarize(decision);
  const steps = Object.fromEntries(decision.trace.map((step) => [step.kind, step])) as Steps;
  return [...ofCounts(summary, steps), ...ofHolder(summary, steps, decision)].map(
    (text) => `${text}: ${JSON.stringify(summary)}`,
  );
}

function* ofCounts(
  { current, desired, proposed, action, decidedBy }: DecisionSummary,
  { result, combine, stabilize, schedules }: Steps,
): Generator<string> {
  if (result?.currentReplicas !== current) yield "another current count";
  if ((action === "scale") !== (result?.action === "scale")) yield "a scale that is none";
  if (action === "scale" && result?.desiredReplicas !== desired) yield "another desired count";
  if (action !== "scale" && desired !== current) yield "a change without a scale";
  if (combine === undefined && proposed !== null) yield "a proposal without a metric";
  if (combine?.result !== undefined && combine.result !== proposed) yield "another proposal";
  const isByMetric = stabilize !== undefined && schedules?.isWithoutMetrics !== true;
  if (isByMetric && stabilize.desired !== proposed) yield "another proposal before the window";
  if (decidedBy !== null && combine?.winner !== decidedBy) yield "another metric";
}

function* ofHolder(summary: DecisionSummary, steps: Steps, decision: Decision): Generator<string> {
  const { heldBy, proposed, desired, action } = summary;
  const { stabilize, limit, cooldown, bounds, disabled, selector, combine, schedules } = steps;
  const isLimited = limit !== undefined && limit.result !== limit.from;
  const reasonOf = {
    TooManyReplicas: "max",
    TooFewReplicas: "min",
    ScaleUpLimit: "rate",
    ScaleDownLimit: "rate",
  };
  const limiter = reasonOf[limit?.reason as keyof typeof reasonOf];
  switch (heldBy) {
    case "none":
      if (proposed !== null && Math.max(0, proposed) !== desired) yield "nothing held, and another count";
      break;
    case "tolerance":
    case "direction":
      if (proposed !== desired || action !== "hold") yield "a ratio that keeps the count, and another count";
      break;
    case "stabilize":
      if (stabilize?.result === stabilize?.desired) yield "a window that holds nothing";
      if (isLimited || cooldown !== undefined) yield "a later step held";
      break;
    case "rate":
      if (!isLimited || limiter !== "rate" || cooldown !== undefined) yield "no rate";
      break;
    case "min":
    case "max": {
      const isBound = bounds !== undefined || schedules?.isWithoutMetrics === true;
      const isWoken =
        decision.scaleTo !== undefined && limit !== undefined && decision.scaleTo > limit.result;
      if (!isBound && !isWoken && limiter !== heldBy) yield "no bound";
      break;
    }
    case "schedule":
      if (schedules === undefined) yield "no schedule";
      break;
    case "cooldown":
      if (cooldown === undefined) yield "no cooldown";
      break;
    case "blocked":
      if (combine?.outcome !== "blocked") yield "nothing blocked";
      break;
    case "disabled":
      if (disabled === undefined) yield "not disabled";
      break;
    case "selector":
      if (selector === undefined) yield "no selector";
      break;
    default:
      if (action !== "none") yield "a failure with an action";
  }
}
