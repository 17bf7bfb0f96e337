import { decide, decideUnder } from "../../decide/decide.ts";
import { readOptions } from "../../decide/subject.ts";
import type { DecideInput, DecideResult } from "../../objects/decision.ts";
import type { SemanticsProfile } from "../../objects/options.ts";
import { type ScalingRule, type Semantics, scalingRules, semanticsOf } from "../../objects/semantics.ts";
import type { DecisionRecord } from "./record.ts";

/**
 * Decides again from a record, with the trace. The same version of this package gives the recorded result to the byte:
 * `diffDecisions(record.result.decision, replay(record).decision)` is empty, unless the rules have changed since.
 */
export function replay(record: Pick<DecisionRecord, "input" | "memory" | "semantics">): DecideResult {
  return decide(inputOf(record), record.memory);
}

/** The default release is another one in each version of this package: the record says which one it was. */
export function inputOf({ input, semantics }: Pick<DecisionRecord, "input" | "semantics">): DecideInput {
  const { options = {} } = input;
  const isGiven = typeof options !== "object" || (options?.semantics ?? undefined) !== undefined;
  return isGiven ? input : { ...input, options: { ...options, semantics } };
}

/**
 * The rules of another release that change the replicas of a recorded decision by themselves. If only several together
 * do: all in which the two releases differ.
 */
export function changingRules(
  record: Pick<DecisionRecord, "input" | "memory" | "semantics">,
  release: SemanticsProfile,
): readonly ScalingRule[] {
  const input = inputOf(record);
  const own = semanticsOf(readOptions(input.options).semantics);
  const others = semanticsOf(release);
  const replicas = (rules: Semantics) => {
    const { scaleTo, currentReplicas } = decideUnder(input, record.memory, rules).decision;
    return scaleTo ?? currentReplicas;
  };
  const before = replicas(own);
  if (replicas(others) === before) return [];
  const rules = scalingRules.filter((rule) => own[rule] !== others[rule]);
  const alone = rules.filter((rule) => replicas({ ...own, [rule]: others[rule] }) !== before);
  return alone.length > 0 ? alone : rules;
}
