// Why a decision does not give so many replicas, found by asking `decide`.
import { decide } from "../../decide/decide.ts";
import { readableInput } from "../../decide/readable-input.ts";
import type { DecideInput, DecideResult, HpaMemory } from "../../objects/decision.ts";
import { uncapitalized } from "../../values/text.ts";
import { formatInstant } from "../../values/time/rfc3339.ts";

import { reasonSentence } from "../explain/head-line.ts";
import type { DecisionRecord } from "../record/record.ts";
import { inputOf } from "../record/replay.ts";
import { heldByOf } from "../summary/held-by.ts";
import { metricsOf, stepOf } from "../summary/step-of.ts";
import { summarize } from "../summary/summary.ts";
import type { HeldBy } from "../summary/types.ts";
import { desiredOf, earliestMs } from "./earliest.ts";
import { limitsBehind } from "./limits.ts";
import { neededSettings } from "./settings.ts";
import type { NeededValue, WhyNot, WhyNotOther } from "./types.ts";
import { type Needed, neededValue } from "./values.ts";
import { whyText } from "./why-text.ts";

interface Query {
  readonly input: DecideInput;
  readonly memory: HpaMemory | undefined;
  readonly n: number;
}

/**
 * Why a recorded decision does not give `n` replicas: the step in the way, the earliest time, and the values or settings
 * that would give them. All of it is found by deciding again, with at most 40 evaluations for each metric and setting.
 *
 * @throws RangeError when `n` is not a whole number of at least zero.
 */
export function whyNot(record: Pick<DecisionRecord, "input" | "memory" | "semantics">, n: number): WhyNot {
  if (!Number.isInteger(n) || n < 0) throw new RangeError(`replicas must be a whole number, not ${n}`);
  const given = inputOf(record);
  const input = readableInput(given);
  if (input === undefined) {
    const { decision } = decide(given, record.memory);
    return { n, is: "held", step: "failed", why: reasonSentence(decision), notes: [] };
  }
  return whyNotNow({ input, memory: record.memory, n });
}

function whyNotNow(query: Query): WhyNot {
  const { input, memory, n } = query;
  const result = decide(input, memory);
  if (desiredOf(result) === n) return { n, is: "decided" };
  const { proposed, heldBy } = summarize(result.decision);
  const notes = memory === undefined ? ["Recommendations before this decision are unknown."] : [];
  if (proposed === n || proposed === null) return held({ query, result, notes });
  const { values, needs, applied } = valuesOf(query, result, proposed);
  const shown = values.length === 0 ? {} : { values: values.map(plainValue), needs };
  if (heldBy === "direction" || heldBy === "tolerance") {
    const own = { ...held({ query, result, notes }), ...shown };
    if (heldBy === "direction" || own.settings !== undefined) return own;
  }
  if (applied === undefined) return { n, is: "metrics", step: "metrics", why: noValue(n), notes };
  const then = decide(applied, memory);
  if (desiredOf(then) === n) return { n, is: "metrics", step: "metrics", why: "", ...shown, notes };
  return { ...held({ query: { ...query, input: applied }, result: then, notes }), ...shown };
}

function noValue(n: number): string {
  return `No metric value was found that calls for ${n}.`;
}

function plainValue({ metric, name, per, now, needed, upTo }: Needed): NeededValue {
  return {
    metric,
    name,
    ...(per === undefined ? {} : { per }),
    now,
    needed,
    ...(upTo === undefined ? {} : { upTo }),
  };
}

/** More replicas need one metric that asks for them, fewer need all that ask for more to ask for no more. */
function valuesOf(
  query: Query,
  { decision }: DecideResult,
  proposed: number,
): {
  readonly values: readonly Needed[];
  readonly needs: "any" | "all";
  /** The input with the first value, or with all; undefined when there is none. */
  readonly applied: DecideInput | undefined;
} {
  const { n, input } = query;
  const isMore = n > proposed;
  const metrics = metricsOf(decision.trace).filter(({ replicas }) => isMore || (replicas ?? 0) > n);
  const found = metrics.map((metric) => neededValue(query, metric));
  const values = found.filter((value) => value !== undefined);
  const needs = isMore ? "any" : "all";
  if (values.length === 0) return { values, needs, applied: undefined };
  if (isMore) return { values, needs, applied: values[0]?.apply(input) };
  if (values.length < metrics.length) return { values: [], needs, applied: undefined };
  return { values, needs, applied: values.reduce((changed, value) => value.apply(changed), input) };
}

interface Found {
  readonly query: Query;
  /** Of the input of the query. */
  readonly result: DecideResult;
  readonly notes: readonly string[];
}

function held({ query, result, notes }: Found): WhyNotOther {
  const { decision } = result;
  const { n, input, memory } = query;
  const step = heldByOf(decision);
  const settings = neededSettings({ input, memory, decision, n }, step);
  return {
    n,
    is: "held",
    step,
    why: whyText(query, result, step),
    ...earliestOf(query, result, step),
    ...(settings.length === 0 ? {} : { settings }),
    notes: [...notes, ...policyNotes(query, step, settings.length > 0), ...limitNotes(query, step)],
  };
}

/** What else stands between here and the number. */
function limitNotes(query: Query, first: HeldBy): readonly string[] {
  return limitsBehind(query, first, (step, input, decision) => {
    const why = whyText({ ...query, input }, { decision }, step);
    return `Also: ${why === "" ? `${step}.` : uncapitalized(why)}`;
  });
}

/** Settings of policies are given for the defaults where the object has no policies. */
function policyNotes({ input }: Query, step: HeldBy, hasSettings: boolean): readonly string[] {
  const { behavior } = input.hpa.spec;
  const hasBehavior = behavior !== undefined && behavior !== null;
  return step === "rate" && hasSettings && !hasBehavior
    ? ["The object has no spec.behavior, so this setting changes a default policy."]
    : [];
}

function earliestOf(
  { input, n }: Query,
  result: DecideResult,
  step: HeldBy,
): Pick<WhyNotOther, "earliest" | "earliestIs" | "provided"> {
  if (step !== "stabilize" && step !== "rate" && step !== "cooldown") return {};
  const ms = earliestMs(input, result, n);
  if (ms === undefined) return {};
  return {
    earliest: formatInstant(ms),
    earliestIs: ms % 1000 === 0 ? "at" : "after",
    provided: provided(result, step, n),
  };
}

function provided({ decision }: DecideResult, step: HeldBy, n: number): string {
  if (step !== "stabilize") return "metrics don't change";
  const side = n < (stepOf(decision.trace, "stabilize")?.result ?? n) ? "above" : "below";
  return `no recommendation ${side} ${n} follows by then`;
}
