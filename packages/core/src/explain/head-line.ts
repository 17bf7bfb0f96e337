// The first line of an explanation: what the replicas are, what becomes of them, and why.
import type { Decision } from "../spec/decision.ts";
import { stepOf } from "../summary/step-of.ts";
import { summarize } from "../summary/summary.ts";
import type { DecisionSummary } from "../summary/types.ts";
import type { MetricTrace } from "../trace/metric.ts";
import { clockText } from "./clock.ts";
import { countedPass, metricName } from "./metric-rows.ts";
import { plural } from "./phrases.ts";
import { showRatio } from "./ratio.ts";

/** How `headLine` words a decision. */
export interface HeadLineOptions {
  /** When it was decided: times on another day have their date. */
  readonly atMs?: number | undefined;
  /** The decision was recomputed here: no controller took it. */
  readonly isRecomputed?: boolean | undefined;
}

/** A decision in one short sentence, such as `6 replicas, goes to 8: cpu proposes 8`; times are UTC. */
export function headLine(decision: Decision, options: HeadLineOptions = {}): string {
  const summary = summarize(decision);
  const { current, desired } = summary;
  const isMade = options.isRecomputed !== true && stepOf(decision.trace, "mode") === undefined;
  const stays = `stays at ${current}`;
  const goes = `${isMade ? "goes" : "would go"} to ${desired}`;
  const why = reasonText(decision, summary, options.atMs);
  const becomes = summary.action === "scale" ? goes : stays;
  return `${plural(current, "replica")}, ${becomes}${why === "" ? "" : `: ${why}`}`;
}

/** The reason alone, as a sentence; empty where there is none. */
export function reasonSentence(decision: Decision, atMs?: number): string {
  const text = reasonText(decision, summarize(decision), atMs);
  return text === "" ? "" : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function reasonText(decision: Decision, summary: DecisionSummary, atMs: number | undefined): string {
  const { trace } = decision;
  const { notBefore, heldBy, current } = summary;
  const until = notBefore === null ? "" : ` until ${clockText(Date.parse(notBefore), atMs)} at the earliest`;
  const who = deciderName(decision, summary);
  switch (heldBy) {
    case "tolerance":
      return `${who} is within tolerance (ratio ${showRatio(ratioOf(decision, summary))})`;
    case "direction":
      return `with missing and unready pods filled in, ${who} asks for no change in its direction`;
    case "stabilize": {
      const replicas = stepOf(trace, "stabilize")?.heldBy?.replicas ?? current;
      return `${proposedText(summary)}, a recommendation of ${replicas} holds${until}`;
    }
    case "rate":
      return `${proposedText(summary)}, ${rateText(decision)}${until}`;
    case "cooldown":
      return `${proposedText(summary)}, the last scale is too recent${until}`;
    case "min":
    case "max":
      return proposing(summary, `${heldBy}Replicas is ${boundOf(decision, heldBy)}`);
    case "schedule":
      return proposing(summary, scheduleText(decision, atMs));
    case "blocked":
      return `${proposedText(summary)}, but ${failedNames(decision)} failed, which forbids a scale-down`;
    case "failed":
      return failureText(decision);
    case "disabled":
      return "scaling is off until the replicas of the target are raised";
    case "selector":
      return `the selector cannot be used (${stepOf(trace, "selector")?.reason ?? "?"})`;
    default:
      return who === "" ? "" : `${who} proposes ${summary.proposed ?? "?"}`;
  }
}

function proposedText({ proposed }: DecisionSummary): string {
  return `${proposed ?? "?"} ${proposed === 1 ? "is" : "are"} proposed`;
}

/** Outside the bounds no metric is read, and there is no proposal. */
function proposing(summary: DecisionSummary, text: string): string {
  return summary.proposed === null ? text : `${proposedText(summary)}, ${text}`;
}

function decider({ trace }: Decision, { decidedBy }: DecisionSummary): MetricTrace | undefined {
  return trace.find((step): step is MetricTrace => step.kind === "metric" && step.index === decidedBy);
}

function deciderName(decision: Decision, summary: DecisionSummary): string {
  const metric = decider(decision, summary);
  return metric === undefined ? "" : metricName(metric);
}

function ratioOf(decision: Decision, summary: DecisionSummary) {
  const metric = decider(decision, summary);
  return metric && countedPass(metric)?.ratio;
}

function rateText({ trace }: Decision): string {
  const rate = stepOf(trace, "rate");
  const limit = stepOf(trace, "limit");
  const result = limit?.result ?? 0;
  const direction = rate?.direction ?? (result < (limit?.from ?? 0) ? "up" : "down");
  return rate?.selectPolicy === "Disabled"
    ? `scaling ${direction} is disabled`
    : `the rate of scaling ${direction} allows ${result}`;
}

function boundOf({ trace }: Decision, bound: "min" | "max"): number | string {
  const step = stepOf(trace, "bounds") ?? stepOf(trace, "limit");
  return (bound === "min" ? step?.minReplicas : step?.maxReplicas) ?? "?";
}

function scheduleText({ trace }: Decision, atMs: number | undefined): string {
  const step = stepOf(trace, "schedules");
  if (step === undefined) return "a schedule decides";
  const { active, minReplicas, maxReplicas, nextMs } = step;
  const names = active.map(({ name }) => name).join(", ");
  const who = names === "" ? "schedules keep" : `${names} keeps`;
  const until = nextMs === undefined ? "" : ` until ${clockText(nextMs, atMs)} at the earliest`;
  return `${who} the limits at [${minReplicas}, ${maxReplicas}]${until}`;
}

function failedNames({ trace }: Decision): string {
  return trace
    .filter((step) => step.kind === "metric")
    .filter(({ error }) => error !== undefined)
    .map(metricName)
    .join(", ");
}

function failureText(decision: Decision): string {
  const { trace, outcome } = decision;
  const failed = trace.find(
    (step): step is MetricTrace => step.kind === "metric" && step.error !== undefined,
  );
  if (failed?.error !== undefined && stepOf(trace, "combine")?.outcome === "failed") {
    return `no metric gives a count (${failed.error.reason} ${metricName(failed)})`;
  }
  const scale = stepOf(trace, "scale");
  if (scale?.error !== undefined) return `the scale of the target cannot be read: ${scale.error}`;
  return outcome.message ?? "an error";
}
