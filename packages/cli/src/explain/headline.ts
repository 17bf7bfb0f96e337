// The first lines of an explanation: which object, which decision, and in one sentence why.
import { type HeldBy, instantMs } from "@plimsoll/core";
import { ageOf, timeText } from "../output/age.ts";

import { type Facts, stepOf } from "./facts.ts";
import { metricName } from "./metric-words.ts";

/** "HorizontalPodAutoscaler default/shop -> Deployment/shop", and where the decision comes from. */
export function titleOf({ explained, nowMs }: Pick<Facts, "explained" | "nowMs">): {
  readonly object: string;
  readonly source: string;
} {
  const { object, source, at, mode } = explained;
  const kind = object.resource === "workloadautoscalers" ? "WorkloadAutoscaler" : "HorizontalPodAutoscaler";
  const age = ageOf(at, nowMs) ?? "";
  const sources = {
    recorded: `recorded ${age} ago${modeText(mode)}`,
    recomputed: "recomputed now",
    status: "status only",
  };
  return {
    object: `${kind} ${object.namespace}/${object.name} -> ${object.target.kind}/${object.target.name}`,
    source: sources[source],
  };
}

function modeText(mode: string | undefined): string {
  const known = mode?.toLowerCase();
  if (known === "shadow") return ", in shadow";
  return known === "paused" ? ", paused" : "";
}

/** "8 replicas, stays at 8: 5 are proposed, a recommendation of 8 holds until 10:04:31 at the earliest". */
export function headlineOf(facts: Facts): string {
  const { current, desired } = facts.summary;
  const now = `${current} replica${current === 1 ? "" : "s"}`;
  const why = reasons[facts.summary.heldBy](facts);
  return `${now}, ${verbOf(facts)} ${desired}${why === "" ? "" : `: ${why}`}`;
}

function verbOf({ summary, explained }: Facts): string {
  if (summary.action !== "scale") return "stays at";
  const isMade = explained.source === "recorded" && modeText(explained.mode) === "";
  return isMade ? "goes to" : "would go to";
}

type Reason = (facts: Facts) => string;

const reasons: Readonly<Record<HeldBy, Reason>> = {
  none: (facts) =>
    facts.summary.proposed === null ? "" : `${winnerOf(facts)} proposes ${facts.summary.proposed}`,
  tolerance: (facts) => `${winnerOf(facts)} is within the tolerance of its target`,
  direction: (facts) =>
    `with missing and unready pods filled in, ${winnerOf(facts)} no longer goes in one direction`,
  stabilize: (facts) => `${proposed(facts)}, ${windowText(facts)}${until(facts)}`,
  rate: (facts) => `${proposed(facts)}, ${rateText(facts)}${until(facts)}`,
  cooldown: (facts) => `${proposed(facts)}, the last scale is too recent${until(facts)}`,
  min: (facts) => `${proposed(facts)}, minReplicas is ${boundOf(facts, "minReplicas")}`,
  max: (facts) => `${proposed(facts)}, maxReplicas is ${boundOf(facts, "maxReplicas")}`,
  schedule: (facts) => `${proposed(facts)}, schedules hold it within ${limitsText(facts)}${until(facts)}`,
  blocked: (facts) => `${proposed(facts)}, and a metric failed: a scale-down needs all of them`,
  failed: (facts) => failureText(facts),
  disabled: () =>
    "scaling is off, because the target has no replicas and its autoscaler did not put it there",
  selector: ({ decision }) => {
    const step = stepOf(decision, "selector");
    return step === undefined ? "the selector of the target cannot be used" : step.message;
  },
};

function winnerOf({ summary, metrics, specs, decision }: Facts): string {
  const index = summary.decidedBy ?? stepOf(decision, "combine")?.winner;
  const trace = metrics.find((metric) => metric.index === index);
  return trace === undefined ? "no metric" : metricName(specs[trace.index], trace);
}

function proposed({ summary: { proposed: count } }: Facts): string {
  if (count === null) return "no metric is read";
  return `${count} ${count === 1 ? "is" : "are"} proposed`;
}

function until({ summary: { notBefore }, nowMs }: Facts): string {
  const ms = notBefore === null ? undefined : instantMs(notBefore);
  return ms === undefined ? "" : ` until ${timeText(ms, nowMs)} at the earliest`;
}

function windowText({ decision }: Facts): string {
  const heldBy = stepOf(decision, "stabilize")?.heldBy;
  return heldBy === undefined
    ? "recent recommendations hold"
    : `a recommendation of ${heldBy.replicas} holds`;
}

function rateText({ decision }: Facts): string {
  const step = stepOf(decision, "rate");
  if (step?.selectPolicy === "Disabled") return `scaling ${step.direction} is disabled`;
  const limit = stepOf(decision, "limit")?.result ?? step?.limit;
  if (step === undefined) return `at once at most ${limit ?? "?"} are allowed`;
  return `the policies of ${step.direction === "up" ? "scaleUp" : "scaleDown"} allow ${limit ?? "?"}`;
}

function boundOf({ decision }: Facts, bound: "minReplicas" | "maxReplicas"): string {
  const step = stepOf(decision, "limit") ?? stepOf(decision, "bounds");
  return step === undefined ? "reached" : String(step[bound]);
}

function limitsText({ decision }: Facts): string {
  const step = stepOf(decision, "schedules");
  return step === undefined ? "their limits" : `[${step.minReplicas}, ${step.maxReplicas}]`;
}

function failureText({ metrics, decision, specs }: Facts): string {
  const scale = stepOf(decision, "scale");
  if (scale?.error !== undefined) return `the scale of the target cannot be read: ${scale.error}`;
  const failed = metrics.find(({ error }) => error !== undefined);
  if (failed?.error === undefined) return decision.outcome.message ?? "nothing can be decided";
  return `no metric can be read: ${failed.error.reason} ${metricName(specs[failed.index], failed)}`;
}
