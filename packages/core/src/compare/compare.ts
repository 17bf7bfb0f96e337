import { decide } from "../decide/decide.ts";
import type { DecideInput, HpaMemory } from "../spec/decision.ts";
import type { StoredHpaStatus } from "../spec/status.ts";
import { firstDifference } from "./first-difference.ts";
import type { CompareOptions, StatusComparison } from "./types.ts";

/** Compares what `decide` gives for an input with a status that a controller wrote for the same object. */
export function compareWithStatus(
  input: DecideInput,
  memory: HpaMemory | undefined,
  status: StoredHpaStatus | undefined,
  _options: CompareOptions = {},
): StatusComparison {
  const difference = firstDifference(decide(input, memory).decision, status ?? {}) ?? null;
  return { verdict: "differs", difference, assumptions: [], theirs: null, notes: [] };
}
