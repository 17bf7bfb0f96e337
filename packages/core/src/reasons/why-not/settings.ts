// Finds the settings with which a step would let the replicas through.

import { decide } from "../../decide/decide.ts";
import { readOptions } from "../../decide/subject.ts";
import { defaultBehavior } from "../../objects/api/behavior-defaults.ts";
import type { DecideInput, Decision, HpaMemory } from "../../objects/decision.ts";
import type { HpaSpec, ScalingRules } from "../../objects/hpa.ts";
import { semanticsOf } from "../../objects/semantics.ts";
import { stepOf } from "../summary/step-of.ts";
import type { HeldBy } from "../summary/types.ts";
import { desiredOf } from "./earliest.ts";
import { type Budget, lowest } from "./search.ts";
import type { NeededSetting } from "./types.ts";

const maxCalls = 40;

interface Query {
  readonly input: DecideInput;
  readonly memory: HpaMemory | undefined;
  readonly decision: Decision;
  readonly n: number;
}

/** Each by itself, with which `decide` gives `n` now. */
export function neededSettings(query: Query, step: HeldBy): readonly NeededSetting[] {
  const { behavior } = query.input.hpa.spec;
  const isByBehavior = step === "stabilize" || step === "rate";
  // Without behavior other limits apply, and a window may raise the count.
  if (isByBehavior && !behavior && givesN(query, withSpec(query.input, { behavior: {} })))
    return [{ field: "behavior", bound: "= {}" }];
  if (step === "stabilize") return windowSetting(query);
  if (step === "rate") return rateSettings(query);
  if (step === "tolerance") return toleranceSetting(query);
  return step === "min" || step === "max" ? boundSetting(query, step) : [];
}

type Side = "scaleUp" | "scaleDown";

function givesN({ memory, n }: Query, input: DecideInput): boolean {
  return desiredOf(decide(input, memory)) === n;
}

function withSpec(input: DecideInput, patch: Partial<HpaSpec>): DecideInput {
  return { ...input, hpa: { ...input.hpa, spec: { ...input.hpa.spec, ...patch } } };
}

function withRules(input: DecideInput, side: Side, patch: Partial<ScalingRules>): DecideInput {
  const { behavior } = input.hpa.spec;
  return withSpec(input, { behavior: { ...behavior, [side]: { ...behavior?.[side], ...patch } } });
}

/** The highest integer below `top` for which something holds, when it holds for zero. */
function highest(holds: (value: number) => boolean, top: number): number | undefined {
  const budget: Budget = { left: maxCalls - 1 };
  if (!holds(0)) return undefined;
  const failing = lowest((value) => !holds(value), { from: 0, to: top, guess: Math.ceil(top / 2) }, budget);
  return failing === undefined ? undefined : failing - 1;
}

function windowSetting(query: Query): readonly NeededSetting[] {
  const step = stepOf(query.decision.trace, "stabilize");
  if (step === undefined) return [];
  const isUp = step.mode === "behavior" && step.desired >= step.currentReplicas;
  const side = isUp ? "scaleUp" : "scaleDown";
  const top = Math.ceil((isUp ? step.upWindowSeconds : step.downWindowSeconds) ?? 0);
  const seconds = highest(
    (value) => givesN(query, withRules(query.input, side, { stabilizationWindowSeconds: value })),
    top,
  );
  return seconds === undefined
    ? []
    : [{ field: `behavior.${side}.stabilizationWindowSeconds`, bound: `<= ${seconds}` }];
}

function rateSettings(query: Query): readonly NeededSetting[] {
  const { input, decision } = query;
  const limit = stepOf(decision.trace, "limit");
  if (limit === undefined) return [];
  const side: Side = limit.from > limit.result ? "scaleUp" : "scaleDown";
  const { policies, selectPolicy } = defaultBehavior(input.hpa.spec.behavior ?? {})[side];
  if (selectPolicy === "Disabled") {
    const isEnough = givesN(query, withRules(input, side, { selectPolicy: "Max" }));
    return isEnough ? [{ field: `behavior.${side}.selectPolicy`, bound: "= Max" }] : [];
  }
  return policies.flatMap((policy, at) => {
    const budget: Budget = { left: maxCalls };
    const withValue = (value: number) =>
      withRules(input, side, { policies: policies.with(at, { ...policy, value }) });
    const top = side === "scaleDown" && policy.type === "Percent" ? 100 : 1_000_000;
    const range = { from: policy.value, to: top, guess: Math.abs(limit.from - limit.result) + policy.value };
    const value = lowest((amount) => reaches(query, withValue(amount), side), range, budget);
    if (value === undefined || !givesN(query, withValue(value))) return [];
    return [{ field: `behavior.${side}.policies[${at}].value`, bound: `>= ${value}` }];
  });
}

/** At least so far in the direction of the change. */
function reaches({ memory, n }: Query, input: DecideInput, side: Side): boolean {
  const desired = desiredOf(decide(input, memory));
  return side === "scaleUp" ? desired >= n : desired <= n;
}

function toleranceSetting(query: Query): readonly NeededSetting[] {
  const { input, n, decision } = query;
  const options = readOptions(input.options);
  const side: Side = n > decision.currentReplicas ? "scaleUp" : "scaleDown";
  const isPerObject = semanticsOf(options.semantics).hasPerHpaTolerance;
  const withTolerance = (milli: number) =>
    isPerObject
      ? withRules(input, side, { tolerance: `${milli}m` })
      : { ...input, options: { ...options, tolerance: milli / 1000 } };
  const step = decision.trace.find((one) => one.kind === "metric" && one.rule === "within-tolerance");
  const tolerance = (step?.kind === "metric" ? step.tolerance : undefined) ?? { up: 0, down: 0 };
  const top = Math.ceil((side === "scaleUp" ? tolerance.up : tolerance.down) * 1000);
  const milli = highest((value) => givesN(query, withTolerance(value)), top);
  if (milli === undefined) return [];
  const field = isPerObject ? `behavior.${side}.tolerance` : "--horizontal-pod-autoscaler-tolerance";
  return [{ field, bound: `<= ${milli / 1000}` }];
}

function boundSetting(query: Query, bound: "min" | "max"): readonly NeededSetting[] {
  const { input, n, decision } = query;
  const field = `${bound}Replicas` as const;
  if (!givesN(query, withSpec(input, { [field]: n }))) return [];
  const isExact = stepOf(decision.trace, "bounds") !== undefined;
  return [{ field, bound: `${isExact ? "=" : bound === "max" ? ">=" : "<="} ${n}` }];
}
