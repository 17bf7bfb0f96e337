// Finds the last step of a trace that changed the proposed replicas.
import type { Decision } from "../../objects/decision.ts";
import type { CombineTrace, LimitTrace, SchedulesTrace, TraceStep } from "../../objects/trace/step.ts";
import { metricOf, stepOf } from "./step-of.ts";
import type { HeldBy } from "./types.ts";

export function heldByOf(decision: Decision): HeldBy {
  const { trace, scaleTo } = decision;
  const undecided = undecidedBy(decision);
  if (undecided !== undefined) return undecided;
  let heldBy: HeldBy = "none";
  for (const step of trace) heldBy = changedBy(step, trace) ?? heldBy;
  const limit = stepOf(trace, "limit");
  // A target that the HPA brought to zero is woken up to the minimum, after the limits.
  const isWoken = limit !== undefined && scaleTo !== undefined && scaleTo > limit.result;
  return isWoken ? boundOf("min", stepOf(trace, "schedules")) : heldBy;
}

/** Why there is no count to speak of. */
function undecidedBy({ trace, events }: Decision): HeldBy | undefined {
  if (events.some(({ reason }) => reason === "FailedRescale")) return "failed";
  if (stepOf(trace, "selector") !== undefined) return "selector";
  const disabled = stepOf(trace, "disabled");
  if (disabled !== undefined) return disabled.isBySchedule === true ? "schedule" : "disabled";
  const outcome = stepOf(trace, "combine")?.outcome;
  if (outcome === "failed" || outcome === "blocked") return outcome;
  const hasCount = trace.some(({ kind }) => kind === "bounds" || kind === "limit");
  return hasCount ? undefined : "failed";
}

type Changes = {
  readonly [K in TraceStep["kind"]]?: (
    step: Extract<TraceStep, { kind: K }>,
    trace: readonly TraceStep[],
  ) => HeldBy | undefined;
};

/** Of each step that may change the proposal, what held when it did. */
const changes: Changes = {
  schedules: (step) => (step.isWithoutMetrics ? boundOf("min", step) : undefined),
  combine: keptBy,
  stabilize: ({ result, desired }) => (result === desired ? undefined : "stabilize"),
  limit: (step, trace) =>
    step.result === step.from ? undefined : limitedBy(step, stepOf(trace, "schedules")),
  cooldown: () => "cooldown",
  bounds: ({ currentReplicas, maxReplicas }, trace) =>
    boundOf(currentReplicas > maxReplicas ? "max" : "min", stepOf(trace, "schedules")),
};

function changedBy(step: TraceStep, trace: readonly TraceStep[]): HeldBy | undefined {
  const change = changes[step.kind] as
    | ((step: TraceStep, trace: readonly TraceStep[]) => HeldBy | undefined)
    | undefined;
  return change?.(step, trace);
}

/** Whether the metric that decides proposes the present count although its ratio is another. */
function keptBy({ winner }: CombineTrace, trace: readonly TraceStep[]): HeldBy | undefined {
  const metric = metricOf(trace, winner);
  const ratio = (metric?.second ?? metric?.first)?.ratio;
  const { rule } = metric ?? {};
  if (rule === "within-tolerance") return ratio === 1 ? undefined : "tolerance";
  return rule === "direction-changed" || rule === "against-direction" ? "direction" : undefined;
}

function limitedBy({ reason }: LimitTrace, schedules: SchedulesTrace | undefined): HeldBy {
  if (reason === "TooManyReplicas") return boundOf("max", schedules);
  return reason === "TooFewReplicas" ? boundOf("min", schedules) : "rate";
}

/** A bound that a schedule moved is the schedule's. */
function boundOf(bound: "min" | "max", schedules: SchedulesTrace | undefined): HeldBy {
  const field = bound === "min" ? "minReplicas" : "maxReplicas";
  return schedules !== undefined && schedules.own[field] !== schedules[field] ? "schedule" : bound;
}
