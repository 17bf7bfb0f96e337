import { decide } from "../decide/decide.ts";
import type { DecideInput, DecideResult } from "../spec/decision.ts";
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
