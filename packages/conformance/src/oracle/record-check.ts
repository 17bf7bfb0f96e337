// Checks that recorded decisions replay to the same bytes.
import {
  type AppliedDecision,
  type DecideInput,
  type Decision,
  type DecisionRecord,
  decide,
  defaultOptions,
  encodeRecord,
  recordDecision,
  recoverMemory,
  replay,
  type SemanticsProfile,
  shiftMemory,
  withFailedRescale,
} from "@plimsoll/core";
import { withSchedules } from "@plimsoll/core/schedules";
import type { Difference } from "../vectors/difference.ts";
import { checkRecord } from "../vectors/kinds/record.ts";
import { firstState, inputOf, type State } from "./decision-input.ts";
import type { Check } from "./difference.ts";
import type { Members } from "./members.ts";
import type { VectorCase } from "./vector-file.ts";

/** Records every decision of a case, and decides again from the encoded record: result and trace to the byte. */
export const checkRecordings: Check = (file) =>
  file.cases.flatMap((vector) => {
    try {
      return checkSteps(vector, file.semantics ?? defaultOptions.semantics);
    } catch (error) {
      // The core must take any data, so this is a defect of it like any other.
      return [{ name: vector.name, path: "thrown", expected: "a result", actual: String(error) }];
    }
  });

function checkSteps(vector: VectorCase, semantics: SemanticsProfile): readonly Difference[] {
  return recordedDecisions(vector, semantics).flatMap(({ record, trace }, at) => {
    const path = `steps[${at}]`;
    const differences = checkRecord(JSON.parse(encodeRecord(record)), path);
    const [expected, actual] = [trace, replay(record).decision.trace].map((steps) => JSON.stringify(steps));
    const found =
      expected === actual
        ? differences
        : [...differences, { path: `${path}.trace`, expected: String(expected), actual: String(actual) }];
    return found.map((difference) => ({ name: vector.name, ...difference }));
  });
}

/** The record of each step of a case, and the trace that it does not hold. */
export function recordedDecisions(
  vector: VectorCase,
  semantics: SemanticsProfile,
): readonly { readonly record: DecisionRecord; readonly trace: Decision["trace"] }[] {
  const state = firstState(vector, semantics);
  return ((vector["steps"] ?? []) as readonly Members[]).map((step) => {
    const input = objectInput(state, step);
    prepareMemory(state, step, input);
    const { memory } = state;
    const result = decide(input, memory);
    const failure = (step["scale"] as Members | undefined)?.["writeError"];
    const message = typeof failure === "string" ? failure : undefined;
    const isUncertain = step["isUncertain"] === true;
    const applied: AppliedDecision =
      message === undefined ? { outcome: "scaled" } : { outcome: "scale-failed", message, isUncertain };
    const acted = message === undefined ? result : withFailedRescale(result, message, isUncertain);
    state.memory = acted.memory;
    state.hpa = { ...state.hpa, status: acted.decision.status };
    return { record: recordDecision({ input, memory, result, applied }), trace: result.decision.trace };
  });
}

/** The step's input with what only a WorkloadAutoscaler has. */
function objectInput(state: State, step: Members): DecideInput {
  const { schedule, ...more } = (step["more"] ?? {}) as Members;
  const input: DecideInput = { ...inputOf(state, step), ...more };
  if (schedule === undefined) return input;
  const { floor, ceiling } = schedule as { readonly floor?: number; readonly ceiling?: number };
  const active =
    floor === undefined ? [] : [{ name: "day", floor, ...(ceiling === undefined ? {} : { ceiling }) }];
  return withSchedules(input, { atMs: input.nowMs, floor, ceiling, active, nextMs: undefined });
}

/** A takeover leaves what can be recovered; a clock that is set moves what is remembered. */
function prepareMemory(state: State, step: Members, { hpa, scale, nowMs }: DecideInput): void {
  const jumpMs = step["clockJumpMs"];
  if (typeof jumpMs === "number" && state.memory !== undefined) {
    state.memory = shiftMemory(state.memory, jumpMs);
  }
  if (step["isTakenOver"] !== true || !scale.ok) return;
  state.memory = recoverMemory({ hpa, replicas: scale.specReplicas, writtenAtMs: nowMs - 10_000, nowMs });
}
