// What a summary says otherwise than the trace of its decision.
import { type Decision, type DecisionSummary, type HeldBy, summarize, type TraceStep } from "../src/index.ts";

type Steps = { readonly [K in TraceStep["kind"]]?: Extract<TraceStep, { kind: K }> };

/** Sentences, one for each; empty when the summary and the trace agree. */
export function contradictions(decision: Decision): readonly string[] {
  const summary = summarize(decision);
  const steps = Object.fromEntries(decision.trace.map((step) => [step.kind, step])) as Steps;
  return [...ofCounts(summary, steps), ...ofHolder(summary, steps, decision)].map(
    (text) => `${text}: ${JSON.stringify(summary)}`,
  );
}

function ofCounts(summary: DecisionSummary, steps: Steps): readonly string[] {
  const { current, desired, proposed, action, decidedBy } = summary;
  const { result, combine, stabilize, schedules } = steps;
  const isScale = action === "scale";
  const isByMetric = stabilize !== undefined && schedules?.isWithoutMetrics !== true;
  return said([
    [result?.currentReplicas !== current, "another current count"],
    [isScale !== (result?.action === "scale"), "a scale that is none"],
    [isScale && result?.desiredReplicas !== desired, "another desired count"],
    [!isScale && desired !== current, "a change without a scale"],
    [combine === undefined && proposed !== null, "a proposal without a metric"],
    [combine?.result !== undefined && combine.result !== proposed, "another proposal"],
    [isByMetric && stabilize.desired !== proposed, "another proposal before the window"],
    [decidedBy !== null && combine?.winner !== decidedBy, "another metric"],
  ]);
}

function said(claims: readonly (readonly [isSo: boolean, text: string])[]): readonly string[] {
  return claims.filter(([isSo]) => isSo).map(([, text]) => text);
}

function ofHolder(summary: DecisionSummary, steps: Steps, decision: Decision): readonly string[] {
  const { heldBy } = summary;
  return holders[heldBy](summary, steps, decision) ? [] : [`not held by ${heldBy}`];
}

type Holder = (summary: DecisionSummary, steps: Steps, decision: Decision) => boolean;

/** Whether the trace has what a summary claims to hold the replicas, and nothing after it does. */
const holders: Readonly<Record<HeldBy, Holder>> = {
  none: ({ proposed, desired }) => proposed === null || Math.max(0, proposed) === desired,
  tolerance: keeps,
  direction: keeps,
  stabilize: (_, { stabilize, limit, cooldown }) =>
    stabilize?.result !== stabilize?.desired && limit?.result === limit?.from && cooldown === undefined,
  rate: (_, { limit, cooldown }) => limiterOf(limit) === "rate" && cooldown === undefined,
  min: isBound,
  max: isBound,
  schedule: (_, { schedules }) => schedules !== undefined,
  cooldown: (_, { cooldown }) => cooldown !== undefined,
  blocked: (_, { combine }) => combine?.outcome === "blocked",
  disabled: (_, { disabled }) => disabled !== undefined,
  selector: (_, { selector }) => selector !== undefined,
  failed: ({ action }) => action === "none",
};

function keeps({ proposed, desired, action }: DecisionSummary): boolean {
  return proposed === desired && action === "hold";
}

function isBound({ heldBy }: DecisionSummary, steps: Steps, { scaleTo }: Decision): boolean {
  const { limit, bounds, schedules } = steps;
  const isWoken = scaleTo !== undefined && limit !== undefined && scaleTo > limit.result;
  const isOutside = bounds !== undefined || schedules?.isWithoutMetrics === true;
  return isOutside || isWoken || limiterOf(limit) === heldBy;
}

function limiterOf(limit: Steps["limit"]): string | undefined {
  if (limit === undefined || limit.result === limit.from) return undefined;
  if (limit.reason === "TooManyReplicas") return "max";
  return limit.reason === "TooFewReplicas" ? "min" : "rate";
}
