// Decision records: input, memory and result of one decision.
import { shown } from "../../decide/refuse.ts";
import { readMode, readOptions } from "../../decide/subject.ts";
import type { DecideInput, DecideResult, Decision, HpaMemory } from "../../objects/decision.ts";
import type { DecisionMode } from "../../objects/mode.ts";
import type { SemanticsProfile } from "../../objects/options.ts";
import { formatInstant } from "../../values/time/rfc3339.ts";
import { coreVersion } from "../../version.ts";

/** The version of the form of a record. */
export const recordApiVersion = "decisions.plimsoll.dev/v1";

/** What is not a record of a version that this package knows. */
export class RecordError extends Error {
  override readonly name = "RecordError";
  /** Such as `input.samples[0]`; empty for the whole record. */
  readonly path: string;

  constructor(path: string, message: string, value?: unknown) {
    const found = value === undefined ? "" : `, but is ${shown(value)}`;
    super(`${path === "" ? "a record" : path} ${message}${found}`);
    this.path = path;
  }
}

/**
 * One decision with everything that it was made from: `replay` makes it again, trace included. Encoded by
 * `encodeRecord`; the JSON Schema of that form is in `schema/decision-record.v1.json` of this package.
 */
export interface DecisionRecord {
  readonly apiVersion: "decisions.plimsoll.dev/v1";
  /** Of the package that decided. */
  readonly coreVersion: string;
  readonly semantics: SemanticsProfile;
  readonly mode: DecisionMode;
  /** When it was decided, as RFC 3339; `input.nowMs` to the second, and 1970 where that is not a time. */
  readonly at: string;
  readonly input: DecideInput;
  /** What `decide` was given; absent at the first evaluation. */
  readonly memory?: HpaMemory;
  readonly result: ResultWithoutTrace;
  readonly applied: AppliedDecision;
}

/** What `decide` returns without the trace, which follows from input and memory. */
export interface ResultWithoutTrace {
  readonly decision: Omit<Decision, "trace">;
  readonly memory: HpaMemory;
}

/** What became of a decision. */
export interface AppliedDecision {
  /**
   * "nothing-to-do": it has no scale. "scaled": the scale was written. "scale-failed": it was not. "shadow": by
   * its mode it is not carried out. "withheld": it is not, because other objects have the same target, or because another client undoes it.
   */
  readonly outcome: "nothing-to-do" | "scaled" | "scale-failed" | "shadow" | "withheld";
  /** Why the scale was not written. */
  readonly message?: string;
  /** The failed write may have been carried out all the same. */
  readonly isUncertain?: boolean;
}

/** The record of one call of `decide`; `result` is what that returned, whatever became of it. */
export function recordDecision(made: {
  readonly input: DecideInput;
  readonly memory: HpaMemory | undefined;
  readonly result: DecideResult | ResultWithoutTrace;
  readonly applied: AppliedDecision;
}): DecisionRecord {
  const { input, memory, result, applied } = made;
  return {
    apiVersion: recordApiVersion,
    coreVersion,
    semantics: readOptions(input.options).semantics,
    mode: readMode(input.mode),
    at: formatInstant(Number.isFinite(input.nowMs) ? input.nowMs : 0),
    input,
    ...(memory === undefined ? {} : { memory }),
    result: withoutTrace(result),
    applied,
  };
}

/** The result without its trace, which is most of its size. */
export function withoutTrace(result: DecideResult | ResultWithoutTrace): ResultWithoutTrace {
  const { decision, memory } = result;
  const { beforeRescale } = decision;
  // Field by field: the rest of a destructured object takes longer, and more memory.
  const kept: Required<Omit<Decision, "trace" | "beforeRescale">> = {
    currentReplicas: decision.currentReplicas,
    desiredReplicas: decision.desiredReplicas,
    scaleTo: decision.scaleTo,
    reason: decision.reason,
    status: decision.status,
    statusChanged: decision.statusChanged,
    events: decision.events,
    outcome: decision.outcome,
  };
  return { decision: beforeRescale === undefined ? kept : { ...kept, beforeRescale }, memory };
}
