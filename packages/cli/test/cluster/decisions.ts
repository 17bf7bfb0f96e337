// What the decisions endpoint serves about the objects of the mock-ups.
import { type DecisionRecord, encodeRecord } from "@plimsoll/core";
import type { Explained } from "../../src/decisions/source.ts";
import { rowOf } from "../../src/decisions/summary-row.ts";
import { recorded, shop, type Workload } from "../golden/inputs.ts";

/** As the log has it. */
export function loggedOf(explained: Explained, more: object = {}): object {
  const { object, at, decision } = explained;
  return {
    ...object,
    at,
    mode: "shadow",
    applied: "shadow",
    decision: JSON.parse(JSON.stringify(decision)) as unknown,
    builtIn: { currentReplicas: 8, desiredReplicas: 8 },
    verdict: "agrees",
    ...more,
  };
}

export function recordBody({ record }: Explained): unknown {
  return JSON.parse(encodeRecord(record as DecisionRecord));
}

/** As the summary has it. */
export function rowBody(explained: Explained, more: object = {}): object {
  const { source: _, ...row } = rowOf(explained);
  return { ...row, since: row.since ?? row.at, ...more };
}

/** The replies of an endpoint about one object. */
export function putDecisions(
  put: { reply(path: string, body: unknown): void },
  base: string,
  workload: Workload = shop,
): void {
  const now = recorded(workload);
  const { namespace, name } = workload;
  const before = loggedOf(now, { at: "2026-11-22T09:59:47Z" });
  const object = `${base}/namespaces/${namespace}/horizontalpodautoscalers/${name}`;
  put.reply(object, { items: [before, loggedOf(now)] });
  put.reply(`${object}/record`, recordBody(now));
  const page = { items: [rowBody(now)], total: 1, counts: { held: 1 } };
  put.reply(`${base}/summary`, page);
  put.reply(`${base}/namespaces/${namespace}/summary`, page);
}
