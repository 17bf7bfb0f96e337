// Why a decision differs from the recorded one: a cause counts only where changing that input alone gives what was recorded.
import {
  coreVersion,
  type DecideResult,
  type DecisionRecord,
  type HpaMemory,
  replay,
  semanticsProfiles,
} from "@plimsoll/core";

/** What changed alone makes the decision the recorded one. */
export type MismatchCause = "controller-restart" | "memory" | "semantics" | "unexplained";

export interface Explained {
  readonly cause: MismatchCause;
  /** What was changed, and what that gave. */
  readonly evidence: string;
  /** With that change; absent where nothing explains it. */
  readonly result?: DecideResult;
}

/** What a controller remembers that began at some instant. */
export interface Start {
  readonly atMs: number;
  readonly memory: HpaMemory | undefined;
}

/** Tries one input after the other on a decision that is not the recorded one with this memory. */
export function explainMismatch(
  record: DecisionRecord,
  memory: HpaMemory | undefined,
  start: Start | undefined,
): Explained {
  const wanted = record.result.decision.desiredReplicas;
  const started = start === undefined ? undefined : replayWith(record, start.memory);
  if (start !== undefined && started?.decision.desiredReplicas === wanted) {
    const at = new Date(start.atMs).toISOString();
    const evidence = `with the memory of a start at ${at} it decides ${wanted}`;
    return { cause: "controller-restart", evidence, result: started };
  }
  const withRecorded = replay(record);
  if (withRecorded.decision.desiredReplicas === wanted) {
    const evidence = `with the recorded memory it decides ${wanted}: records are missing, or another process decided`;
    return { cause: "memory", evidence, result: withRecorded };
  }
  for (const semantics of semanticsProfiles) {
    if (semantics === record.semantics) continue;
    const options = { ...record.input.options, semantics };
    const result = replayWith({ input: { ...record.input, options }, semantics }, memory);
    if (result.decision.desiredReplicas !== wanted) continue;
    return { cause: "semantics", evidence: `by the rules of ${semantics} it decides ${wanted}`, result };
  }
  const version =
    record.coreVersion === coreVersion ? "" : `, decided by version ${record.coreVersion} of the rules`;
  return {
    cause: "unexplained",
    evidence: `neither the recorded memory nor the rules of another release give ${wanted}${version}`,
  };
}

/** Decides on the input of a record, with another memory. */
export function replayWith(
  { input, semantics }: Pick<DecisionRecord, "input" | "semantics">,
  memory: HpaMemory | undefined,
): DecideResult {
  return replay({ input, semantics, ...(memory === undefined ? {} : { memory }) });
}

/** As after a start: no scale and no recommendation is known. */
export function isEmptyMemory(memory: HpaMemory | undefined): boolean {
  if (memory === undefined || memory.unknownHistory !== undefined) return true;
  const { recommendations, scaleUpEvents, scaleDownEvents } = memory;
  return recommendations.length + scaleUpEvents.length + scaleDownEvents.length === 0;
}
