// What the rules of the doctor find in one decision: those that need nothing but its record.
import type { Decision, DecisionRecord } from "@plimsoll/core";
import {
  diagnose,
  type FactReadings,
  type Fields,
  type Finding,
  known,
  noFacts,
  readAutoscaler,
  rules,
} from "@plimsoll/doctor";

/** A decision with what is known of it. */
export interface FoundIn {
  /** The object as the API server has it, with its kind. */
  readonly object: object;
  readonly decision: Decision;
  readonly record?: DecisionRecord | undefined;
  readonly nowMs: number;
}

/** Errors and warnings, the most severe first. Notes are left out: the explanation says what they say. */
export function explainedFindings({ object, decision, record, nowMs }: FoundIn): readonly Finding[] {
  const autoscaler = readAutoscaler(object);
  if (autoscaler === undefined) return [];
  const facts: FactReadings = {
    ...noFacts("not recorded"),
    decision: known(decision),
    ...(record === undefined ? {} : recorded(record)),
  };
  const able = rules.filter(({ isFromRecords, scope }) => isFromRecords === true && scope === "object");
  const { findings } = diagnose({ nowMs, objects: [{ object: autoscaler, facts }], cluster: facts }, able);
  return findings.filter(({ severity }) => severity !== "info");
}

function recorded({ input: { scale, pods, samples } }: DecisionRecord): Partial<FactReadings> {
  return {
    samples: known(samples.map((one) => ({ samples: one }))),
    ...(scale.ok
      ? {
          scale: known({
            found: true,
            specReplicas: scale.specReplicas,
            statusReplicas: scale.statusReplicas,
            selector: scale.selector,
          }),
        }
      : {}),
    ...(pods.ok ? { pods: known(pods.pods as readonly object[] as readonly Fields[]) } : {}),
  };
}
