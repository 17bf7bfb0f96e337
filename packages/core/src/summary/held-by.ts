// Finds the last step of a trace that changed the proposed replicas.
import type { Decision } from "../spec/decision.ts";
import type { MetricTrace } from "../trace/metric.ts";
import type { CombineTrace, LimitTrace, SchedulesTrace, TraceStep } from "../trace/step.ts";
import { stepOf } from "./step-of.ts";
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

function changedBy(step: TraceStep, trace: readonly TraceStep[]): HeldBy | undefined {
  const schedules = stepOf(trace, "schedules");
  switch (step.kind) {
    case "schedules":
      return step.isWithoutMetrics ? boundOf("min", step) : undefined;
    case "combine":
      return keptBy(step, trace);
    case "stabilize":
      return step.result === step.desired ? undefined : "stabilize";
    case "limit":
      return step.result === step.from ? undefined : limitedBy(step, schedules);
    case "cooldown":
      return "cooldown";
    case "bounds":
      return boundOf(step.currentReplicas > step.maxReplicas ? "max" : "min", schedules);
    default:
      return undefined;
  }
}

/** Whether the metric that decides proposes the present count although its ratio is another. */
function keptBy({ winner }: CombineTrace, trace: readonly TraceStep[]): HeldBy | undefined {
  const metric = trace.find((step): step is MetricTrace => step.kind === "metric" && step.index === winner);
  const ratio = (metric?.second ?? metric?.first)?.ratio;
  switch (metric?.rule) {
    case "within-tolerance":
      return ratio === 1 ? undefined : "tolerance";
    case "direction-changed":
    case "against-direction":
      return "direction";
    default:
      return undefined;
  }
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
