// What the rules find in recorded decisions: those that need nothing but them, wherever they were read.
import type { Decision, DecisionRecord, OtherWriter } from "@plimsoll/core";
import type { Fields } from "@plimsoll/core/internal/values";
import { diagnose } from "./diagnose.ts";
import { readAutoscaler } from "./evidence/autoscaler.ts";
import type { FactReadings, FrontFact } from "./evidence/facts.ts";
import { noFacts } from "./evidence/no-facts.ts";
import type { PastDecision } from "./evidence/past-decision.ts";
import { known, type Reading } from "./evidence/reading.ts";
import type { Finding } from "./finding.ts";
import type { Rule } from "./rule.ts";
import { rules } from "./rules/rules.ts";

/** A decision with what is known of it. */
export interface RecordedObject {
  /** The object as the API server has it, with its kind. */
  readonly object: object;
  readonly decision: Decision;
  readonly record?: DecisionRecord | undefined;
  /** As it was recorded with the decision. */
  readonly otherWriter?: Reading<OtherWriter | undefined>;
  /** Read now, not recorded: who serves what its metrics describe. */
  readonly fronts?: Reading<readonly FrontFact[]> | undefined;
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
  otherWriter,
  fronts,
  history,
  nowMs,
}: RecordedObject): readonly Finding[] {
  const autoscaler = readAutoscaler(object);
  if (autoscaler === undefined) return [];
  const facts: FactReadings = {
    ...noFacts("not recorded"),
    ...(record === undefined ? {} : recorded(record)),
    decision: known(decision),
    ...(otherWriter === undefined ? {} : { otherWriter }),
    ...(fronts === undefined ? {} : { fronts }),
    ...(history === undefined ? {} : { history: known(history) }),
  };
  const objects = [{ object: autoscaler, facts }];
  const { findings } = diagnose({ nowMs, objects, cluster: facts }, recordedRules);
  return findings.filter(({ severity }) => severity !== "info");
}

/** In the words of the API server, which says it of the scale. */
function missingTarget(message: string): Partial<FactReadings> {
  const isUnknownKind = message.includes("no matches for kind");
  if (!isUnknownKind && !message.endsWith("not found")) return {};
  return { target: known({ found: false, message, isUnknownKind, candidates: [] }) };
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
      : missingTarget(scale.message)),
    ...(pods.ok ? { pods: known(pods.pods as readonly object[] as readonly Fields[]) } : {}),
  };
}
