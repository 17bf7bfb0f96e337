// Checks one object by the rules that need nothing but its decisions and its newest record.
import { type DecisionRecord, decodeRecord, RecordError } from "@plimsoll/core";
import { type FindingsPage, type LoggedDecision, type ObjectKey, paths } from "@plimsoll/decisions";
import {
  diagnoseRecorded,
  type Finding,
  known,
  pastDecision,
  recordedRules,
  unknown,
} from "@plimsoll/doctor";
import { kindNames } from "../context/route.ts";
import type { Client, Result } from "../data/client.ts";

interface Checked {
  readonly object: ObjectKey;
  /** Oldest first. */
  readonly decisions: readonly LoggedDecision[];
  readonly signal: AbortSignal;
}

/** Without a record nothing can be checked, in the server's words. */
export async function checkObject(client: Client, checked: Checked): Promise<Result<FindingsPage>> {
  const { object, decisions, signal } = checked;
  const text = await client.text(paths.record(object), { signal });
  if (!text.ok) return text;
  const record = recordOf(text.value);
  const findings = record === undefined ? [] : findingsOf(checked, record);
  const at = decisions.at(-1)?.at ?? "";
  return {
    ok: true,
    value: { at, findings, skipped: [], checked: { objects: 1, rules: recordedRules.length } },
  };
}

/** Errors and warnings, the most severe first. */
function findingsOf({ object, decisions }: Checked, record: DecisionRecord): readonly Finding[] {
  const newest = decisions.at(-1);
  if (newest === undefined) return [];
  const { hpa } = record.input;
  const { namespace, name, resource } = object;
  const isRecorded = newest.source === undefined || newest.source === "recorded";
  return diagnoseRecorded({
    object: { ...hpa, kind: kindNames[resource], metadata: { ...hpa.metadata, namespace, name } },
    decision: newest.decision,
    record,
    otherWriter: isRecorded ? known(newest.otherWriter) : unknown("not recorded"),
    history: decisions.map(({ at, decision }) => pastDecision(Date.parse(at), decision)),
    nowMs: Date.parse(newest.at),
  });
}

function recordOf(text: string): DecisionRecord | undefined {
  try {
    return decodeRecord(text);
  } catch (error) {
    if (error instanceof RecordError) return undefined;
    throw error;
  }
}
