// Looks for findings without the doctor: in the records of the objects that have a problem.

import {
  type DecisionList,
  type FindingsPage,
  paths,
  type SummaryPage,
  type SummaryRow,
} from "@plimsoll/decisions";
import { type Finding, recordedRules } from "@plimsoll/doctor";
import type { Client, Result } from "../data/client.ts";
import { plural } from "../ui/words.ts";
import { checkObject } from "./check-object.ts";

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
  const { items, total } = page.value;
  const left = total - items.length;
  const found: (readonly Finding[])[] = [];
  const next = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, row] of next) found[index] = await findingsOf(client, row, signal);
  };
  await Promise.all(Array.from({ length: maxAtOnce }, worker));
  return {
    ok: true,
    value: {
      at: new Date().toISOString(),
      findings: found.flat(),
      skipped: [],
      notes:
        left > 0
          ? [
              `${plural(left, "autoscaler")} with a problem not checked: kubectl plimsoll doctor -A checks all.`,
            ]
          : [],
      checked: { objects: items.length, rules: recordedRules.length },
    },
  };
}

/** None where its decisions or its record cannot be read: the page of the object says why. */
async function findingsOf(
  client: Client,
  object: SummaryRow,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const decisions = await client.get<DecisionList>(paths.decisions(object, { limit: 100 }), { signal });
  if (!decisions.ok) return [];
  const checked = await checkObject(client, { object, decisions: decisions.value.items, signal });
  return checked.ok ? checked.value.findings : [];
}
