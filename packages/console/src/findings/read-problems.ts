// Looks for findings without the doctor: in the records of the objects that have a problem.
import { type DecisionRecord, decodeRecord, RecordError } from "@plimsoll/core";
import { type Finding, rules } from "@plimsoll/doctor";
import {
  type DecisionList,
  type FindingsPage,
  paths,
  type SummaryPage,
  type SummaryRow,
} from "../data/api.ts";
import type { Client, Result } from "../data/client.ts";
import { findingsOfRecords } from "./from-records.ts";

/** Two requests are made for each object. */
const maxObjects = 30;
const maxAtOnce = 6;

export async function readProblems(
  client: Client,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<Result<FindingsPage>> {
  const query = { namespace, problem: true, sort: "held" as const, limit: maxObjects };
  const page = await client.get<SummaryPage>(paths.summary(query), { signal });
  if (!page.ok) return page;
  const { items } = page.value;
  const found: (readonly Finding[])[] = [];
  const next = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, row] of next) found[index] = await findingsOf(client, row, signal);
  };
  await Promise.all(Array.from({ length: maxAtOnce }, worker));
  const able = rules.filter(({ isFromRecords, scope }) => isFromRecords === true && scope === "object");
  return {
    ok: true,
    value: {
      at: new Date().toISOString(),
      findings: found.flat(),
      skipped: [],
      checked: { objects: items.length, rules: able.length },
    },
  };
}

/** None where its decisions or its record cannot be read: the page of the object says why. */
async function findingsOf(
  client: Client,
  object: SummaryRow,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const [decisions, text] = await Promise.all([
    client.get<DecisionList>(paths.decisions(object, { limit: 100 }), { signal }),
    client.text(paths.record(object), { signal }),
  ]);
  if (!decisions.ok) return [];
  const record = text.ok ? recordOf(text.value) : undefined;
  return findingsOfRecords({ object, decisions: decisions.value.items, record });
}

function recordOf(text: string): DecisionRecord | undefined {
  try {
    return decodeRecord(text);
  } catch (error) {
    if (error instanceof RecordError) return undefined;
    throw error;
  }
}
