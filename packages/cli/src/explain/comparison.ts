// How the decision compares with what the built-in controller wrote.
import type { StatusComparison } from "@plimsoll/core";
import type { Explained } from "../decisions/source.ts";
import { ageOf } from "../output/age.ts";
import type { Facts } from "./facts.ts";
import { bandText, plainQuantity, ratioText } from "./metric-words.ts";

/** The lines about the comparison; none where there is nothing to compare with. */
export function comparisonLines(facts: Facts): readonly string[] {
  const { comparison, source } = facts.explained;
  if (comparison === undefined) return [];
  const subject =
    source === "recorded" ? "Built-in controller:" : `Status${writtenBy(facts.explained, facts.nowMs)}`;
  const { verdict, difference, theirs } = comparison;
  const says = saysText(theirs, facts.decision.desiredReplicas);
  switch (verdict) {
    case "agrees":
      return [`${subject} agrees (${facts.decision.desiredReplicas}${reasonText(facts)})`];
    case "moved":
      return [`${subject}${says} MOVED at ${placeOf(difference)}`, ...movedLines(facts, comparison)];
    case "lagging":
      return [`${subject} is LAGGING: ${comparison.notes.join("; ") || "it is of an older specification"}`];
    case "differs":
      return [`${subject}${says} DIFFERS at ${placeOf(difference)}`, ...differenceLines(comparison)];
    case "not-comparable":
      return [`${subject} cannot be compared: ${comparison.notes.join("; ")}`];
  }
}

/** " says 6:"; where both give the same replicas, that comes first. */
function saysText(theirs: StatusComparison["theirs"], ours: number): string {
  if (theirs === null) return "";
  return theirs.desired === ours ? ` says ${ours}, too:` : ` says ${theirs.desired}:`;
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
function reasonText({ decision }: Facts): string {
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

function movedLines(facts: Facts, { difference, theirs, notes }: StatusComparison): readonly string[] {
  if (difference === null) return notes.map((note) => `  ${note}`);
  const [ours, then] = [plainQuantity(difference.ours), plainQuantity(difference.theirs)];
  const again =
    theirs === null ? "" : `; with ${then} the same rules give ${theirs.recomputed ?? theirs.desired}`;
  return [`  value   ${ours} now, ${then} then${again}${bandThen(facts, difference.metric, then)}`];
}

/** " (1.067 is within 0.9–1.1)", where the value of then is compared with the target as it is. */
function bandThen({ decision }: Facts, index: number | undefined, then: string): string {
  const trace = decision.trace.find((step) => step.kind === "metric" && step.index === index);
  if (trace?.kind !== "metric" || trace.target?.type !== "Utilization" || !then.endsWith("%")) return "";
  const ratio = Number.parseFloat(then) / Number(trace.target.value);
  return Number.isFinite(ratio) ? ` (${ratioText(ratio)} is ${bandText(ratio, trace)})` : "";
}

function differenceLines({ difference, assumptions, notes }: StatusComparison): readonly string[] {
  const sides = difference === null ? [] : [`  ours    ${difference.ours}`, `  theirs  ${difference.theirs}`];
  const could = assumptions.map(({ about, value }) => `  explained by ${about} ${value}`);
  return [...sides, ...could, ...notes.map((note) => `  ${note}`)];
}

/** What was assumed and what the past could change; only for decisions that were recomputed. */
export function assumptionLines({ explained }: Facts, isFull: boolean): readonly string[] {
  const { assumptions, history, desiredByHistory: desired } = explained;
  const shown = isFull
    ? assumptions
    : assumptions.filter(({ about, why }) => why !== unreadable || important.has(about));
  const reasons = [...new Set(shown.map(({ why }) => why))];
  const assumed = reasons.map((why) => {
    const values = shown.filter((one) => one.why === why).map(({ about, value }) => `${about} ${value}`);
    return `Assumed: ${values.join(", ")} (${why === unreadable ? "the controller's flags are not readable" : why})`;
  });
  if (history === undefined || desired === undefined) return assumed;
  return [...assumed, `History: ${historyText(history, desired)}`];
}

const unreadable = "flags not readable";
/** The others seldom matter; they are in --full and in JSON. */
const important: ReadonlySet<string> = new Set(["tolerance", "downscale stabilization"]);

function historyText(
  history: NonNullable<Explained["history"]>,
  { a, b, c }: NonNullable<Explained["desiredByHistory"]>,
): string {
  switch (history) {
    case "does-not-matter":
      return `does not matter here, all assumptions give ${a}`;
    case "a":
      return `${a} if nothing of the past holds; ${b} if the present count does`;
    case "b":
      return `the present count holds, as the status says; without that ${a}`;
    case "c":
      return `${c} with the scale events that are known; ${a} without them`;
  }
}
