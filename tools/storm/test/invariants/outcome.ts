// What tests of invariants look at of an outcome.
import type { Outcome } from "../../src/run/world.ts";

/** What is violated; undefined where it holds, and where there was nothing to check. */
export function problemOf(outcome: Outcome): string | undefined {
  return outcome === true ? undefined : outcome;
}
