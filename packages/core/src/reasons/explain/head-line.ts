// The first line of an explanation: whether the replicas change, and why.
import type { Decision } from "../../objects/decision.ts";
import { showRatio } from "../../values/ratio.ts";
import { counted } from "../../values/text.ts";
import { instantMs } from "../../values/time/rfc3339.ts";
import { metricOf, metricsOf, stepOf } from "../summary/step-of.ts";
import { summarize } from "../summary/summary.ts";
import type { DecisionSummary, HeldBy } from "../summary/types.ts";
import { clockText } from "./clock.ts";
import { countedPass, metricName } from "./metric-rows.ts";

/** How `headLine` words a decision. */
export interface HeadLineOptions {
  /** When it was decided: times on another day have their date. */
  readonly atMs?: number | undefined;
  /** The decision was recomputed here: no controller took it. */
  readonly isRecomputed?: boolean | undefined;
}

/** A decision in one short sentence, such as `Scaling from 6 to 8 replicas: cpu calls for 8`; times are UTC. */
export function headLine(decision: Decision, options: HeadLineOptions = {}): string {
  const summary = summarize(decision);
  const { current, desired } = summary;
  const isMade = options.isRecomputed !== true && stepOf(decision.trace, "mode") === undefined;
  const isKnown = stepOf(decision.trace, "scale")?.error === undefined;
  const stays = isKnown ? `Staying at ${counted(current, "replica")}` : "No change";
  const goes = `${isMade ? "Scaling" : "Would scale"} from ${current} to ${counted(desired, "replica")}`;
  const why = reasonText(decision, summary, options.atMs);
  const head = summary.action === "scale" ? goes : stays;
  return `${head}${why === "" ? "" : `: ${why}`}`;
}

/** The reason alone, as a sentence; empty where there is none. */
export function reasonSentence(decision: Decision, atMs?: number): string {
  const text = reasonText(decision, summarize(decision), atMs);
  return text === "" ? "" : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function reasonText(decision: Decision, summary: DecisionSummary, atMs: number | undefined): string {
  const ms = summary.notBefore === null ? undefined : instantMs(summary.notBefore);
  const until = untilText(ms, atMs);
  return reasons[summary.heldBy]({ decision, summary, atMs, until, who: deciderName(decision, summary) });
}

function untilText(ms: number | undefined, atMs: number | undefined): string {
  return ms === undefined ? "" : ` until at least ${clockText(ms, atMs)}`;
}

interface Held {
  readonly decision: Decision;
  readonly summary: DecisionSummary;
  readonly atMs: number | undefined;
  readonly until: string;
  /** The metric that decides; empty when none does. */
  readonly who: string;
}

const reasons: Readonly<Record<HeldBy, (held: Held) => string>> = {
  tolerance: ({ who, decision, summary }) =>
    `${who} is within tolerance (ratio ${showRatio(ratioOf(decision, summary))})`,
  direction: ({ decision, summary, who }) =>
    `once missing and unready pods are counted conservatively, ${who} no longer justifies scaling ${directionOf(decision, summary)}`,
  stabilize: ({ decision, summary, until }) => {
    const replicas = stepOf(decision.trace, "stabilize")?.heldBy?.replicas ?? summary.current;
    return `${proposedText(summary)}, but a recommendation of ${replicas} is in the stabilization window${until}`;
  },
  rate: ({ decision, summary, until }) => `${proposedText(summary)}, but ${rateText(decision)}${until}`,
  cooldown: ({ summary, until }) =>
    `${proposedText(summary)}, but no change is allowed so soon after the last scale${until}`,
  min: ({ decision, summary }) => proposing(summary, `minReplicas is ${boundOf(decision, "min")}`),
  max: ({ decision, summary }) => proposing(summary, `maxReplicas is ${boundOf(decision, "max")}`),
  schedule: ({ decision, summary, atMs }) => proposing(summary, scheduleText(decision, atMs)),
  blocked: ({ decision, summary }) =>
    `${proposedText(summary)}, but ${failedNames(decision)} failed, which blocks scaling down`,
  failed: ({ decision }) => failureText(decision),
  disabled: () => "scaling is off while the target has 0 replicas; scale it up to turn it on",
  selector: ({ decision: { trace } }) =>
    `the selector can't be used (${stepOf(trace, "selector")?.reason ?? "?"})`,
  none: ({ who, summary }) => (who === "" ? "" : `${who} calls for ${summary.proposed ?? "?"}`),
};

function proposedText({ proposed }: DecisionSummary): string {
  return `metrics call for ${proposed ?? "?"}`;
}

/** Outside the bounds, metrics are not read and propose nothing. */
function proposing(summary: DecisionSummary, text: string): string {
  return summary.proposed === null ? text : `${proposedText(summary)}, but ${text}`;
}

function deciderName({ trace }: Decision, { decidedBy }: DecisionSummary): string {
  const metric = metricOf(trace, decidedBy);
  return metric === undefined ? "" : metricName(metric);
}

function ratioOf({ trace }: Decision, { decidedBy }: DecisionSummary) {
  const metric = metricOf(trace, decidedBy);
  return metric && countedPass(metric)?.ratio;
}

/** Where the samples alone would have led. */
function directionOf({ trace }: Decision, { decidedBy }: DecisionSummary): "up" | "down" {
  return Number(metricOf(trace, decidedBy)?.first?.ratio) < 1 ? "down" : "up";
}

function rateText({ trace }: Decision): string {
  const rate = stepOf(trace, "rate");
  const limit = stepOf(trace, "limit");
  const result = limit?.result ?? 0;
  const direction = rate?.direction ?? (result < (limit?.from ?? 0) ? "up" : "down");
  return rate?.selectPolicy === "Disabled"
    ? `scaling ${direction} is disabled`
    : `scale-${direction} policies allow only ${result}`;
}

function boundOf({ trace }: Decision, bound: "min" | "max"): number | string {
  const step = stepOf(trace, "bounds") ?? stepOf(trace, "limit");
  return (bound === "min" ? step?.minReplicas : step?.maxReplicas) ?? "?";
}

function scheduleText({ trace }: Decision, atMs: number | undefined): string {
  const step = stepOf(trace, "schedules");
  if (step === undefined) return "a schedule sets the limits";
  const { active, minReplicas, maxReplicas, nextMs } = step;
  const names = active.map(({ name }) => ` ${name}`).join(",");
  const who = active.length === 1 ? `schedule${names} sets` : `schedules${names} set`;
  return `${who} the limits [${minReplicas}, ${maxReplicas}]${untilText(nextMs, atMs)}`;
}

function failedNames({ trace }: Decision): string {
  return metricsOf(trace)
    .filter(({ error }) => error !== undefined)
    .map(metricName)
    .join(", ");
}

function failureText(decision: Decision): string {
  const { trace, outcome } = decision;
  const failed = metricsOf(trace).find(({ error }) => error !== undefined);
  if (failed?.error !== undefined && stepOf(trace, "combine")?.outcome === "failed")
    return `no metric could be read (${metricName(failed)}: ${failed.error.reason})`;
  const scale = stepOf(trace, "scale");
  if (scale?.error !== undefined) return `cannot read the target's scale: ${scale.error}`;
  return outcome.message ?? "an error";
}
