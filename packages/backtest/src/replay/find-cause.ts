// Why a decision differs from the recorded one: the first counter-check that gives what was recorded.
import { headLine } from "@plimsoll/core";
import {
  checkEarlierChange,
  checkManualScale,
  checkMetricFailed,
  checkRestart,
  checkSpecChanged,
  checkTwoMoves,
  checkWarmUp,
} from "./checks-of-events.ts";
import {
  checkCacheAge,
  checkClock,
  checkPodLag,
  checkResourcePath,
  checkRollout,
  checkRounding,
  checkSemantics,
} from "./checks-of-inputs.ts";
import type { CounterCheck, FoundCause, MismatchCase, RecordingCause } from "./mismatch.ts";

const checks: readonly (readonly [RecordingCause, CounterCheck])[] = [
  ["warm-up", checkWarmUp],
  ["spec-changed", checkSpecChanged],
  ["metric-failed", checkMetricFailed],
  ["two-moves", checkTwoMoves],
  ["clock", checkClock],
  ["cache-age", checkCacheAge],
  ["pod-lag", checkPodLag],
  ["rollout", checkRollout],
  ["rounding", checkRounding],
  ["semantics", checkSemantics],
  ["resource-path", checkResourcePath],
  ["manual-scale", checkManualScale],
  ["controller-restart", checkRestart],
  ["warm-up", checkEarlierChange],
];

/** "unexplained" where no input alone gives it. */
export function causeOf(mismatch: MismatchCase): {
  readonly cause: RecordingCause;
  readonly found: FoundCause;
} {
  for (const [cause, check] of checks) {
    const found = check(mismatch);
    if (found !== undefined) return { cause, found };
  }
  const { result, decision } = mismatch;
  const line = headLine(result.decision, { atMs: decision.atMs, isRecomputed: true });
  return {
    cause: "unexplained",
    found: { evidence: `no single input leads to ${decision.recorded}; ours: ${line}` },
  };
}
