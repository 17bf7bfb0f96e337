// The lower part of an explanation: the steps from the metrics to the count, one line each.
import type { MetricTrace, RateTrace, StabilizeTrace, TraceStep } from "@plimsoll/core";
import { timeText } from "../output/age.ts";
import { type Facts, stepOf } from "./facts.ts";
import {
  bandText,
  decisivePass,
  isWithinBand,
  metricName,
  plainQuantity,
  ratioText,
  ratioTextSo,
} from "./metric-words.ts";

/** A step: its name, and what it did. */
export interface StepLine {
  readonly label: string;
  readonly text: string;
}

/** The steps that lead to the count; with `isFull` those that changed nothing, too. */
export function stepLines(facts: Facts, isFull: boolean): readonly StepLine[] {
  return facts.decision.trace.flatMap((step): readonly StepLine[] => {
    const line = lineOf(step, facts, isFull);
    return line === undefined ? [] : [line];
  });
}

function lineOf(step: TraceStep, facts: Facts, isFull: boolean): StepLine | undefined {
  const { nowMs } = facts;
  switch (step.kind) {
    case "scale":
      return { label: "scale", text: scaleText(step) };
    case "schedules":
      return { label: "schedules", text: schedulesText(step) };
    case "metric":
      return isFull || step.index === facts.summary.decidedBy ? metricLine(step, facts) : undefined;
    case "combine":
      return step.outcome === "accepted" || step.outcome === "accepted-despite-errors"
        ? undefined
        : { label: "metrics", text: combineText(step.outcome, facts) };
    case "stabilize":
      return { label: "stabilize", text: stabilizeText(step, nowMs) };
    case "rate":
      return isFull || facts.summary.heldBy === "rate" ? { label: "rate", text: rateText(step) } : undefined;
    case "limit":
      return { label: "limits", text: limitText(step) };
    case "bounds":
      return {
        label: "limits",
        text: `${step.currentReplicas} -> ${step.result}  ${step.currentReplicas} is outside [${step.minReplicas}, ${step.maxReplicas}]: metrics are not read`,
      };
    case "cooldown":
      return {
        label: "cooldown",
        text: `last scale at ${timeText(step.lastScaleAtMs, nowMs)}; no change within ${step.windowMs / 1000}s of it`,
      };
    default:
      return isFull ? rareLine(step, nowMs) : undefined;
  }
}

/** Steps that say how a decision came about, and seldom why. */
function rareLine(step: TraceStep, nowMs: number): StepLine | undefined {
  switch (step.kind) {
    case "seed":
      return { label: "history", text: `first evaluation: recommendations start at ${step.replicas}` };
    case "unconfirmed-scale":
      return {
        label: "history",
        text: `the scale to ${step.replicas} was ${step.isMade ? "made" : "not made"}`,
      };
    case "unknown-history":
      return {
        label: "history",
        text: `not known: policies count as used up at ${timeText(step.lastScaleAtMs, nowMs)}, until ${timeText(step.untilMs, nowMs)}`,
      };
    case "failure-policy":
      return {
        label: "policy",
        text: `${step.policy} of metric ${step.index + 1}${step.isApplied ? "" : ": nothing to offer"} (${step.error.reason})`,
      };
    case "disabled":
      return {
        label: "scale",
        text: step.isBySchedule === true ? "kept at zero by schedules" : "scaling is off at zero replicas",
      };
    case "selector":
      return { label: "selector", text: `${step.reason}: ${step.message}` };
    case "mode":
      return { label: "mode", text: `${step.mode}: the target is not scaled to ${step.scaleTo}` };
    case "result":
      return step.error === undefined ? undefined : { label: "error", text: step.error };
    default:
      return undefined;
  }
}

function scaleText(step: Extract<TraceStep, { kind: "scale" }>): string {
  if (step.error !== undefined) return `cannot be read: ${step.error}`;
  const { specReplicas = 0, statusReplicas = 0, selector = "" } = step;
  return `${specReplicas} in spec, ${statusReplicas} in status; selector ${selector}`;
}

function schedulesText({
  active,
  own,
  minReplicas,
  maxReplicas,
}: Extract<TraceStep, { kind: "schedules" }>): string {
  const names = active.length === 0 ? "none is active" : active.map(({ name }) => name).join(", ");
  const isSame = own.minReplicas === minReplicas && own.maxReplicas === maxReplicas;
  return isSame
    ? `${names}; limits stay [${minReplicas}, ${maxReplicas}]`
    : `${names}; limits [${own.minReplicas}, ${own.maxReplicas}] become [${minReplicas}, ${maxReplicas}]`;
}

/** The arithmetic of one metric; with its name where there are several. */
function metricLine(trace: MetricTrace, { specs, metrics }: Facts): StepLine {
  const name = metrics.length > 1 && specs.length > 0 ? "" : "";
  const several = metrics.length > 1 ? `${metricName(specs[trace.index], trace)}: ` : name;
  return { label: "metrics", text: `${several}${metricText(trace)}` };
}

function metricText(trace: MetricTrace): string {
  const { rule, replicas = 0, error, currentReplicas } = trace;
  if (error !== undefined) return `${error.reason}: ${error.message}`;
  switch (rule) {
    case "ratio-times-ready":
      return `${replicas} = ${product(trace, trace.counts?.ready, "ready pods")}; ${bandSentence(trace)}`;
    case "ratio-times-all":
      return `${replicas} = ${product(trace, allPods(trace), "pods")}${filledText(trace)}; ${bandSentence(trace)}`;
    case "total-over-target":
      return `${replicas} = ⌈${plainQuantity(trace.first?.total ?? "?")} ÷ ${plainQuantity(trace.target?.value ?? "?")}⌉; ${bandSentence(trace)}`;
    case "from-zero":
      return `${replicas} = ⌈${ratioText(decisivePass(trace)?.ratio) ?? "?"}⌉, from zero replicas`;
    case "within-tolerance":
      return `${currentReplicas} stays; ${bandSentence(trace)}`;
    case "direction-changed":
    case "against-direction":
      return `${currentReplicas} stays: with missing and unready pods filled in the direction changes${filledText(trace)}`;
    default:
      return String(replicas);
  }
}

function product(trace: MetricTrace, pods: number | undefined, noun: string): string {
  const { replicas = 0 } = trace;
  const ratio = ratioTextSo(decisivePass(trace)?.ratio, (near) => Math.ceil(near * (pods ?? 0)) === replicas);
  return `⌈${ratio} × ${pods ?? "?"} ${noun}⌉`;
}

/** Samples of pods that the selector does not match are counted where averages are taken. */
function allPods({ second, counts }: MetricTrace): number {
  return (second?.pods ?? 0) + (second?.requested === undefined ? 0 : (counts?.extra ?? 0));
}

function bandSentence(trace: MetricTrace): string {
  const pass = decisivePass(trace);
  const within = pass?.withinTolerance === true;
  const ratio = ratioTextSo(pass?.ratio, (near) => isWithinBand(near, trace) === within);
  return `${ratio} is ${within ? "within" : "outside"} ${bandText(trace)}`;
}

function filledText({ second, counts }: MetricTrace): string {
  const parts = [
    ...(second?.missingAs === undefined
      ? []
      : [`${counts?.missing ?? 0} missing as ${plainQuantity(second.missingAs)}`]),
    ...(second?.unreadyAs === undefined ? [] : [`${counts?.unready ?? 0} unready as 0`]),
  ];
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

function combineText(outcome: string, { metrics, summary }: Facts): string {
  const failed = metrics.filter(({ error }) => error !== undefined).length;
  if (outcome === "blocked")
    return `${summary.proposed ?? "?"} proposed; ${failed} of ${metrics.length} metrics failed, and a scale-down needs all`;
  return `all ${metrics.length} failed: nothing changes`;
}

function stabilizeText(step: StabilizeTrace, nowMs: number): string {
  const { desired, result, heldBy, upWindowSeconds, downWindowSeconds } = step;
  const up = upWindowSeconds === undefined ? "" : `${upWindowSeconds}s up, `;
  const window = `window ${up}${downWindowSeconds}s down`;
  if (desired === result) return `${desired}, held by nothing; ${window}`;
  const holder =
    heldBy === undefined ? "" : `  held by ${heldBy.replicas} of ${timeText(heldBy.atMs, nowMs)}`;
  return `${desired} -> ${result}${holder}; ${window}`;
}

function rateText({ direction, selectPolicy, policies, limit }: RateTrace): string {
  if (selectPolicy === "Disabled") return `scaling ${direction} is disabled`;
  const listed = policies.map(({ type, value, periodSeconds, start, limit: own }) => {
    const sign = direction === "up" ? "+" : "−";
    return `${start} ${sign} ${value}${type === "Percent" ? "%" : ""} in ${periodSeconds}s = ${own}`;
  });
  const chosen = policies.length > 1 ? `${selectPolicy} of ` : "";
  return `${direction} to ${limit}: ${chosen}${listed.join(", ")}`;
}

const limitReasons: Readonly<Record<string, string>> = {
  ScaleUpLimit: "rate of scale-up",
  ScaleDownLimit: "rate of scale-down",
  TooManyReplicas: "maxReplicas",
  TooFewReplicas: "minReplicas",
};

function limitText({
  from,
  result,
  minReplicas,
  maxReplicas,
  reason,
}: Extract<TraceStep, { kind: "limit" }>): string {
  const limits = `[${minReplicas}, ${maxReplicas}]`;
  return from === result
    ? `${from} within ${limits}`
    : `${from} -> ${result}  ${limitReasons[reason] ?? reason}; within ${limits}`;
}

/** Whether a step held the count: only then the steps are of interest. */
export function hasHeld({ summary, decision }: Facts): boolean {
  return summary.heldBy !== "none" || stepOf(decision, "combine")?.outcome === "accepted-despite-errors";
}
