// Findings by the rules of the doctor that need nothing but decisions and their records.
import type { DecisionRecord } from "@plimsoll/core";
import {
  diagnose,
  type FactReadings,
  type Fields,
  type Finding,
  known,
  noFacts,
  pastDecision,
  type Rule,
  readAutoscaler,
  rules,
} from "@plimsoll/doctor";
import type { LoggedDecision, ObjectKey } from "../data/api.ts";

export interface RecordedObject {
  readonly object: ObjectKey;
  /** Oldest first. */
  readonly decisions: readonly LoggedDecision[];
  /** Of the newest. */
  readonly record: DecisionRecord;
}

/** The rules that such findings are by. */
export const ableRules: readonly Rule[] = rules.filter(
  ({ isFromRecords, scope }) => isFromRecords === true && scope === "object",
);

/** Errors and warnings, the most severe first. Notes are left out: the trace says what they say. */
export function findingsOfRecords({ object, decisions, record }: RecordedObject): readonly Finding[] {
  const newest = decisions.at(-1);
  if (newest === undefined) return [];
  const kind =
    object.resource === "horizontalpodautoscalers" ? "HorizontalPodAutoscaler" : "WorkloadAutoscaler";
  const { hpa } = record.input;
  const { namespace, name } = object;
  const autoscaler = readAutoscaler({ ...hpa, kind, metadata: { ...hpa.metadata, namespace, name } });
  if (autoscaler === undefined) return [];
  const facts: FactReadings = {
    ...noFacts("not recorded"),
    ...recorded(record),
    decision: known(newest.decision),
    history: known(decisions.map(({ at, decision }) => pastDecision(Date.parse(at), decision))),
  };
  const nowMs = Date.parse(newest.at);
  const { findings } = diagnose(
    { nowMs, objects: [{ object: autoscaler, facts }], cluster: facts },
    ableRules,
  );
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
