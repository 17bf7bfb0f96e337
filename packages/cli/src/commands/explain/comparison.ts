// How the decision compares with what the built-in controller wrote.
import { metricRows, type StatusComparison } from "@plimsoll/core";
import { plainQuantity, showRatio } from "@plimsoll/core/internal/values";
import type { Explained, WithDecision } from "../../decisions/source.ts";
import { ageOf } from "../../output/age.ts";
import { bandText } from "../../output/metric-words.ts";

/** The lines about the comparison; none where there is nothing to compare with. */
export function comparisonLines(explained: WithDecision, nowMs: number): readonly string[] {
  const { comparison, source, decision } = explained;
  if (comparison === undefined) return [];
  const isRecorded = source === "recorded";
  const subject = isRecorded ? recordedSubject(explained) : `Status${writtenBy(explained, nowMs)}`;
  const { verdict, difference, theirs } = comparison;
  const says = saysText(theirs, decision.desiredReplicas);
  switch (verdict) {
    case "agrees":
      return [`${subject} agrees (${decision.desiredReplicas}${reasonText(explained)})`];
    case "moved":
      return [`${subject}${movedText(explained, comparison, isRecorded ? "its status" : "it")}`];
    case "lagging":
      return [`${subject} is LAGGING: ${comparison.notes.join("; ") || "it describes an older spec"}`];
    case "differs":
      return [`${subject}${says} DIFFERS at ${placeOf(difference)}`, ...differenceLines(comparison)];
    case "not-comparable":
      return [`${subject} cannot be compared: ${comparison.notes.join("; ")}`];
  }
}

/** Whoever writes the status is compared with. */
function recordedSubject({ otherWriter }: Explained): string {
  const isKnown = otherWriter?.writes === "status" && otherWriter.by !== "kube-controller-manager";
  return isKnown ? `Status of ${otherWriter.by}:` : "Built-in controller:";
}

/** " says 6:"; where both give the same replicas, that comes first. */
function saysText(theirs: StatusComparison["theirs"], ours: number): string {
  if (theirs === null) return "";
  return theirs.desired === ours ? ` also says ${ours}:` : ` says ${theirs.desired}:`;
}

/** "written 12s ago by kube-controller-manager", as far as the object has it. */
function writtenBy({ served }: Explained, nowMs: number): string {
  const fields = served?.metadata as { readonly managedFields?: readonly ManagedFields[] } | undefined;
  const [latest] = (fields?.managedFields ?? [])
    .filter(({ subresource }) => subresource === "status")
    .sort((a, b) => ((a.time ?? "") < (b.time ?? "") ? 1 : -1));
  if (latest === undefined) return "";
  const age = ageOf(latest.time, nowMs);
  return ` (written${age === undefined ? "" : ` ${age} ago`} by ${latest.manager ?? "?"})`;
}

interface ManagedFields {
  readonly manager?: string;
  readonly subresource?: string;
  readonly time?: string;
}

/** What holds the count, in the controller's word for it. */
function reasonText({ decision }: WithDecision): string {
  const conditions = decision.status.conditions;
  const reason = (type: string) => conditions.find((one) => one.type === type)?.reason;
  const able = reason("AbleToScale");
  const limited = conditions.find(
    ({ type, status }) => type === "ScalingLimited" && status === "True",
  )?.reason;
  const shown = able === "ReadyForNewScale" ? limited : (limited ?? able);
  return shown === undefined ? "" : `, ${shown}`;
}

function placeOf(difference: StatusComparison["difference"]): string {
  if (difference === null) return "the count";
  return difference.metric === undefined ? difference.step : `metric ${difference.metric + 1}`;
}

/** " agrees on 3; it was computed when there was 1 replica, now there are 3". */
function movedText(
  { decision }: WithDecision,
  { difference, theirs, notes }: StatusComparison,
  status: string,
): string {
  const count = theirs?.desired ?? decision.desiredReplicas;
  const says = count === decision.desiredReplicas ? ` agrees on ${count}` : ` says ${count}`;
  if (difference === null) return `${says}: ${notes.join("; ")}`;
  const { step, metric } = difference;
  const [now, then] = [plainQuantity(difference.ours), plainQuantity(difference.theirs)];
  if (step === "scale") {
    const were = then === "1" ? "was 1 replica" : `were ${then} replicas`;
    return `${says}; ${status} was computed when there ${were}, now there ${now === "1" ? "is" : "are"} ${now}`;
  }
  if (step !== "metric") return `${says}; then: ${then}; now: ${now}`;
  const name = metricRows(decision).find(({ index }) => index === metric)?.name ?? "the metric";
  return `${says}; ${status} was computed when ${name} was ${then}${bandThen(decision, metric, then)}, now it is ${now}`;
}

/** " (1.067 is within 0.9–1.1)", where the value of then is compared with the target as it is. */
function bandThen(decision: WithDecision["decision"], index: number | undefined, then: string): string {
  const trace = decision.trace.find((step) => step.kind === "metric" && step.index === index);
  if (trace?.kind !== "metric" || trace.target?.type !== "Utilization" || !then.endsWith("%")) return "";
  const ratio = Number.parseFloat(then) / Number(trace.target.value);
  return Number.isFinite(ratio) ? ` (${showRatio(ratio)} is ${bandText(ratio, trace)})` : "";
}

function differenceLines({ difference, assumptions, notes }: StatusComparison): readonly string[] {
  const sides = difference === null ? [] : [`  ours    ${difference.ours}`, `  theirs  ${difference.theirs}`];
  const could = assumptions.map(({ about, value }) => `  explained by ${about} ${value}`);
  return [...sides, ...could, ...notes.map((note) => `  ${note}`)];
}

/** What was assumed and what the past could change; only for decisions that were recomputed. */
export function assumptionLines(
  { assumptions, history, desired }: Explained,
  isFull: boolean,
): readonly string[] {
  const shown = isFull
    ? assumptions
    : assumptions.filter(({ about, isFlag }) => isFlag !== true || important.has(about));
  const reasons = [...new Set(shown.map(({ why }) => why))];
  const assumed = reasons.map((why) => {
    const values = shown.filter((one) => one.why === why).map(({ about, value }) => `${about} ${value}`);
    return `Assumed: ${values.join(", ")} (${why})`;
  });
  if (history === undefined || desired === undefined) return assumed;
  return [...assumed, `History: ${historyText(history, desired)}`];
}

/** The other flags seldom matter; they are in --full and in JSON. */
const important: ReadonlySet<string> = new Set(["tolerance", "downscale stabilization"]);

function historyText(
  history: NonNullable<Explained["history"]>,
  { nothingHeld, heldByPresent, withEvents }: NonNullable<Explained["desired"]>,
): string {
  switch (history) {
    case "does-not-matter":
      return `makes no difference here, ${nothingHeld} either way`;
    case "nothing-held":
      return `${nothingHeld} without past recommendations; ${heldByPresent} if the current replicas are still recommended`;
    case "held-by-present":
      return `the status shows that a past recommendation holds the current replicas; otherwise ${nothingHeld}`;
    case "with-events":
      return `${withEvents} with the known scale events; ${nothingHeld} without them`;
  }
}
