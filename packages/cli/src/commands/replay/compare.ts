// Replays one record, and says where the result differs from the recorded one.
import {
  type DecideResult,
  type DecisionDifference,
  type DecisionRecord,
  diffDecisions,
  encodeRecord,
  type ResultWithoutTrace,
  replay,
  withoutTrace,
} from "@plimsoll/core";
import { type Changes, withChanges } from "./set.ts";

/** What a record gives now. */
export interface Replayed {
  /** "namespace/name". */
  readonly object: string;
  readonly at: string;
  readonly coreVersion: string;
  /** Replicas before, as recorded, and now. */
  readonly current: number;
  readonly recorded: number;
  readonly now: number;
  /** The result is the recorded one to the byte; with changes: no step differs. */
  readonly isEqual: boolean;
  readonly differences: readonly StepDifference[];
}

/** A field that differs. */
export interface StepDifference {
  /** Such as "metric[0].target.value", "decision.desiredReplicas" or "memory.recommendations[0].replicas". */
  readonly path: string;
  readonly step: string;
  /** In spec.metrics. */
  readonly metric?: number;
  /** Of the step; empty when only one of the decisions has the step. */
  readonly field: string;
  readonly recorded?: unknown;
  readonly now?: unknown;
}

/** Replays a record. @throws CliError when it cannot take the changes */
export function replayRecord(record: DecisionRecord, changes: Changes): Replayed {
  const hasChanges = changes.fields.length > 0 || changes.semantics !== undefined;
  const differences = hasChanges ? changed(record, changes) : unequal(record);
  const { metadata } = record.input.hpa;
  return {
    object: [metadata?.namespace, metadata?.name].filter(Boolean).join("/"),
    at: record.at,
    coreVersion: record.coreVersion,
    current: record.result.decision.currentReplicas,
    recorded: differences.before,
    now: differences.now,
    isEqual: differences.found.length === 0,
    differences: differences.found,
  };
}

interface Found {
  readonly before: number;
  readonly now: number;
  readonly found: readonly StepDifference[];
}

/** Against the recorded result, by its bytes. */
function unequal(record: DecisionRecord): Found {
  const result = withoutTrace(replay(record));
  const now = result.decision.desiredReplicas;
  const before = record.result.decision.desiredReplicas;
  const [recorded, again] = [encodeRecord(record), encodeRecord({ ...record, result })];
  if (recorded === again) return { before, now, found: [] };
  const found = diffDecisions(flat(recorded), flat(again)).flatMap(stepDifferences);
  const other = { path: "result", step: "decision", field: "", recorded: "other order", now: "this order" };
  return { before, now, found: found.length === 0 ? [other] : found };
}

/** Decision and memory of an encoded record, as one object that can be compared: plain values only. */
function flat(encoded: string): ResultWithoutTrace["decision"] {
  const { result } = JSON.parse(encoded) as DecisionRecord;
  const both = { ...result.decision, memory: result.memory };
  return both;
}

/** Against the record without the changes, step by step. */
function changed(record: DecisionRecord, changes: Changes): Found {
  const before = replay(record);
  const after = replay(withChanges(record, changes));
  const differences = diffDecisions(plain(record, before), plain(record, after));
  return { before: replicasOf(before), now: replicasOf(after), found: differences.flatMap(stepDifferences) };
}

/** What the target is left at. A decision that fails repeats the desired replicas of the stored status. */
function replicasOf({ decision: { scaleTo, currentReplicas } }: DecideResult): number {
  return scaleTo ?? currentReplicas;
}

/** With values that JSON has only: two dates of client libraries that say the same are equal then. */
function plain(record: DecisionRecord, result: DecideResult): DecideResult["decision"] {
  const { result: encoded } = JSON.parse(encodeRecord({ ...record, result })) as {
    readonly result: DecideResult;
  };
  return encoded.decision;
}

function stepDifferences({ step, metric, fields }: DecisionDifference): readonly StepDifference[] {
  return fields.map(({ path, a, b }) => {
    const isMemory = step === "decision" && path.startsWith("memory");
    const owner = metric === undefined ? step : `${step}[${metric}]`;
    const whole = isMemory || path === "" ? path || owner : `${owner}.${path}`;
    return {
      path: whole,
      step: isMemory ? "memory" : step,
      ...(metric === undefined ? {} : { metric }),
      field: isMemory ? path.replace(/^memory\.?/, "") : path,
      ...(a === undefined ? {} : { recorded: a }),
      ...(b === undefined ? {} : { now: b }),
    };
  });
}
