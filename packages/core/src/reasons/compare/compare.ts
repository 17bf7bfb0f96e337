// Compares what the rules give with the status that another controller wrote.
import { decide } from "../../decide/decide.ts";
import { readableInput } from "../../decide/readable-input.ts";
import type { DecideInput, Decision, HpaMemory } from "../../objects/decision.ts";
import { readStatus } from "../../objects/status/read.ts";
import type { HpaStatus, StoredHpaStatus } from "../../objects/status.ts";
import { maxInt32 } from "../../values/number/go-float.ts";
import { rangeText } from "../explain/metric.ts";
import { metricOf } from "../summary/step-of.ts";
import { desiredOf } from "../why-not/earliest.ts";
import { explainingAssumptions } from "./assumptions.ts";
import { isActive, isRateLimited, isStabilized } from "./conditions.ts";
import { firstDifference } from "./first-difference.ts";
import { type Counts, hasFailed, isAmong, reproduces, reproductions, spanning } from "./theirs.ts";
import type { CompareOptions, StatusComparison, StatusDifference } from "./types.ts";
import { unknownMemories } from "./unknown-history.ts";

/**
 * Compares what `decide` gives for an input with a status that a controller wrote for the same object at another moment.
 * Where they part at a value, the status's own values are put into the input: the same rules then have to give its
 * count.
 */
export function compareWithStatus(
  given: DecideInput,
  memory: HpaMemory | undefined,
  stored: StoredHpaStatus | undefined,
  options: CompareOptions = {},
): StatusComparison {
  const { notReadable = [] } = options;
  const input = readableInput(given);
  if (input === undefined) return { ...nothing, verdict: "not-comparable", notes: ["The input is invalid."] };
  if (notReadable.length > 0)
    return { ...nothing, verdict: "not-comparable", notes: [`Cannot read ${notReadable.join(", ")}.`] };
  const status = readStatus(stored);
  if (status.conditions.length === 0)
    return { ...nothing, verdict: "lagging", notes: ["No controller has written a status yet."] };
  const generation = input.hpa.metadata?.generation;
  if ((status.observedGeneration ?? Infinity) < (generation ?? 0)) {
    const note = `The status describes generation ${status.observedGeneration}, but the object is at ${generation}.`;
    return { ...nothing, verdict: "lagging", notes: [note] };
  }
  const isHistoryUnknown = options.isHistoryUnknown === true;
  return comparison({
    input,
    memories: memoriesOf(input, memory, status, options),
    status,
    isHistoryUnknown,
  });
}

const nothing = { difference: null, assumptions: [], theirs: null } as const;

/** The memory first; where it is a guess, also what else the controller may remember. */
function memoriesOf(
  input: DecideInput,
  memory: HpaMemory | undefined,
  status: HpaStatus,
  { isHistoryUnknown = false, rescales = [] }: CompareOptions,
): readonly (HpaMemory | undefined)[] {
  if (!isHistoryUnknown) return [memory];
  const { nothingHeld, withEvents } = unknownMemories(input, rescales);
  const { desiredReplicas } = status;
  const atMs = input.nowMs - 1;
  const usedUp = { ...nothingHeld, unknownHistory: { lastScaleMs: atMs, untilMs: input.nowMs + 1 } };
  const policies = isRateLimited(status) ? [nothingHeld, withEvents, usedUp] : [nothingHeld, withEvents];
  if (!isStabilized(status)) return [memory, ...policies];
  // What a window holds is only seen behind the limits: it may be more than they let through, or less.
  const held = [desiredReplicas, desiredReplicas + 1, desiredReplicas - 1, maxInt32, 0];
  const windows = policies.flatMap((known) =>
    held.map((replicas): HpaMemory => ({ ...known, recommendations: [{ replicas, atMs }] })),
  );
  return [memory, undefined, ...windows, ...policies];
}

interface Case {
  readonly input: DecideInput;
  readonly memories: readonly (HpaMemory | undefined)[];
  readonly status: HpaStatus;
  readonly isHistoryUnknown: boolean;
}

function comparison(compared: Case): StatusComparison {
  const { input, memories, status } = compared;
  const decisions = memories.map((memory) => decide(input, memory).decision);
  if (decisions.some((decision) => agrees(decision, status)))
    return { ...nothing, verdict: "agrees", notes: [] };
  const [decision] = decisions;
  if (decision === undefined) return { ...nothing, verdict: "not-comparable", notes: [] };
  const difference = firstDifference(decision, status) ?? null;
  if (difference?.step === "metrics" && hasFailed(decision) && isActive(status)) {
    const note = "The metrics can't be read now, but could be read when the status was written.";
    return { ...nothing, verdict: "not-comparable", difference, notes: [note] };
  }
  return withTheirValues(compared, decision, difference);
}

/** They do not agree: whether the status's own values give its count. */
function withTheirValues(
  { input, memories, status, isHistoryUnknown }: Case,
  decision: Decision,
  difference: StatusDifference | null,
): StatusComparison {
  const isSame = isSameCount(decision, status);
  const { first = decision, reproduced } = reproduction(
    { input, memories, status, isHistoryUnknown: isHistoryUnknown && !isSame },
    isSame && !isOfInput(difference),
  );
  const desired = status.desiredReplicas;
  const theirs = { desired, recomputed: reproduced === undefined ? desiredOf({ decision: first }) : desired };
  if (reproduced !== undefined) {
    const notes = movedNotes(difference, reproduced);
    return { verdict: "moved", difference, assumptions: [], theirs, notes };
  }
  if (difference?.step === "scale") {
    const notes = [
      `It was computed with ${difference.theirs} replicas, now there are ${difference.ours}; the earlier pods are unknown.`,
    ];
    return { verdict: "not-comparable", difference, assumptions: [], theirs: null, notes };
  }
  const assumptions = explainingAssumptions(input.options, first, (options) =>
    fits({ ...input, options }, memories, status, isSame),
  );
  return { verdict: "differs", difference, assumptions, theirs, notes: [] };
}

function agrees(decision: Decision, status: StoredHpaStatus): boolean {
  return isSameCount(decision, status) && firstDifference(decision, status) === undefined;
}

function isSameCount({ desiredReplicas }: Decision, status: StoredHpaStatus): boolean {
  return desiredReplicas === status.desiredReplicas;
}

/** The two looked at another count or at other values, not only at other settings or another past. */
function isOfInput(difference: StatusDifference | null): boolean {
  return difference?.step === "scale" || difference?.step === "metrics" || difference?.step === "metric";
}

function movedNotes(difference: StatusDifference | null, reproduced: Decision): readonly string[] {
  if (difference === null) return [];
  const { step, ours, theirs, metric } = difference;
  const count = desiredOf({ decision: reproduced });
  if (step === "scale")
    return [`${ours} replicas now, ${theirs} then; with ${theirs} the same rules give ${count}.`];
  if (step !== "metric") return [`${ours} now, ${theirs} then.`];
  const trace = metricOf(reproduced.trace, metric);
  const why = trace === undefined || trace.error !== undefined ? "" : ` (${rangeText(trace)})`;
  return [`${ours} now, ${theirs} then; with ${theirs} the same rules give ${count ?? "?"}${why}.`];
}

/** The first that gives what the status says; where scales are unknown, the first of all if the count is between those of all. */
function reproduction(
  { input, memories, status, isHistoryUnknown }: Case,
  isWhole: boolean,
): { readonly first?: Decision; readonly reproduced?: Decision } {
  let first: Decision | undefined;
  let counts: Counts | undefined = { lowest: Infinity, highest: -Infinity };
  for (const one of reproductions(input, memories, status)) {
    first ??= one.decision;
    if (reproduces(one, status, isWhole)) return { first, reproduced: one.decision };
    counts = spanning(counts, one.counts);
  }
  if (first === undefined) return {};
  // Policies that are used up in part allow anything between nothing and all.
  const isPartly = isHistoryUnknown && isRateLimited(status) && isAmong(status, counts);
  return { first, ...(isPartly ? { reproduced: first } : {}) };
}

/** Whether the rules, with these options, give what the status says. */
function fits(
  input: DecideInput,
  memories: readonly (HpaMemory | undefined)[],
  status: HpaStatus,
  isSame: boolean,
): boolean {
  for (const one of reproductions(input, memories, status)) {
    if (reproduces(one, status, isSame)) return true;
  }
  return false;
}
