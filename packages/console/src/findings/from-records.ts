// Findings of an object by what this server has of it: its last decisions, and the record of the newest.
import type { DecisionRecord } from "@plimsoll/core";
import { diagnoseRecorded, type Finding, pastDecision } from "@plimsoll/doctor";
import type { LoggedDecision, ObjectKey } from "../data/api.ts";

export interface RecordedObject {
  readonly object: ObjectKey;
  /** Oldest first. */
  readonly decisions: readonly LoggedDecision[];
  /** Of the newest. */
  readonly record: DecisionRecord;
}

const kinds = {
  horizontalpodautoscalers: "HorizontalPodAutoscaler",
  workloadautoscalers: "WorkloadAutoscaler",
} as const;

/** Errors and warnings, the most severe first. */
export function findingsOfRecords({ object, decisions, record }: RecordedObject): readonly Finding[] {
  const newest = decisions.at(-1);
  if (newest === undefined) return [];
  const { hpa } = record.input;
  const { namespace, name, resource } = object;
  return diagnoseRecorded({
    object: { ...hpa, kind: kinds[resource], metadata: { ...hpa.metadata, namespace, name } },
    decision: newest.decision,
    record,
    history: decisions.map(({ at, decision }) => pastDecision(Date.parse(at), decision)),
    nowMs: Date.parse(newest.at),
  });
}
