// What the rules find in recorded decisions: those that need nothing but them, wherever they were read.
import type { Decision, DecisionRecord } from "@plimsoll/core";
import { diagnose } from "./diagnose.ts";
import { readAutoscaler } from "./evidence/autoscaler.ts";
import type { FactReadings } from "./evidence/facts.ts";
import type { Fields } from "./evidence/fields.ts";
import { noFacts } from "./evidence/no-facts.ts";
import type { PastDecision } from "./evidence/past-decision.ts";
import { known } from "./evidence/reading.ts";
import type { Finding } from "./finding.ts";
import type { Rule } from "./rule.ts";
import { rules } from "./rules/rules.ts";

/** A decision with what is known of it. */
export interface RecordedObject {
  /** The object as the API server has it, with its kind. */
  readonly object: object;
  readonly decision: Decision;
  readonly record?: DecisionRecord | undefined;
  /** Decisions before it and itself, oldest first. */
  readonly history?: readonly PastDecision[];
  readonly nowMs: number;
}

/** The rules that such findings are by. */
export const recordedRules: readonly Rule[] = rules.filter(
  ({ isFromRecords, scope }) => isFromRecords === true && scope === "object",
);

/** Errors and warnings, the most severe first. Notes are left out: the explanation of the decision says what they say. */
export function diagnoseRecorded({
  object,
  decision,
  record,
  history,
  nowMs,
}: RecordedObject): readonly Finding[] {
  const autoscaler = readAutoscaler(object);
  if (autoscaler === undefined) return [];
  const facts: FactReadings = {
    ...noFacts("not recorded"),
    ...(record === undefined ? {} : recorded(record)),
    decision: known(decision),
    ...(history === undefined ? {} : { history: known(history) }),
  };
  const objects = [{ object: autoscaler, facts }];
  const { findings } = diagnose({ nowMs, objects, cluster: facts }, recordedRules);
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
