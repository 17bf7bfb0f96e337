// Checks one object by the rules that need nothing but its decisions and its newest record.
import { type DecisionRecord, decodeRecord, RecordError } from "@plimsoll/core";
import { recordedRules } from "@plimsoll/doctor";
import { type FindingsPage, type LoggedDecision, type ObjectKey, paths } from "../data/api.ts";
import type { Client, Result } from "../data/client.ts";
import { findingsOfRecords } from "./from-records.ts";

interface Checked {
  readonly object: ObjectKey;
  /** Oldest first. */
  readonly decisions: readonly LoggedDecision[];
  readonly signal: AbortSignal;
}

/** Without a record nothing can be checked, in the server's words. */
export async function checkObject(
  client: Client,
  { object, decisions, signal }: Checked,
): Promise<Result<FindingsPage>> {
  const text = await client.text(paths.record(object), { signal });
  if (!text.ok) return text;
  const record = recordOf(text.value);
  const findings = record === undefined ? [] : findingsOfRecords({ object, decisions, record });
  const at = decisions.at(-1)?.at ?? "";
  return {
    ok: true,
    value: { at, findings, skipped: [], checked: { objects: 1, rules: recordedRules.length } },
  };
}

function recordOf(text: string): DecisionRecord | undefined {
  try {
    return decodeRecord(text);
  } catch (error) {
    if (error instanceof RecordError) return undefined;
    throw error;
  }
}
