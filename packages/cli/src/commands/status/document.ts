// The list for programs: plimsoll/status/v1.
import type { DecisionSummary, OtherWriter, Verdict } from "@plimsoll/core";
import { failureText, type RowMetric, type SummaryRow } from "@plimsoll/decisions";
import type { ObjectError } from "../../output/document.ts";

/** A row of the list, for programs. */
export interface RowDocument extends DecisionSummary {
  readonly resource: "horizontalpodautoscalers" | "workloadautoscalers";
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly target: { readonly kind: string; readonly name: string };
  readonly mode: string;
  readonly at: string;
  /** Since when it is in this state. */
  readonly since: string | null;
  readonly metrics: readonly SummaryMetric[];
  /** Absent: recorded. */
  readonly source?: "recorded" | "recomputed" | "status";
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
  readonly verdict?: Verdict;
  /** Another client that keeps writing the status or the replicas. */
  readonly otherWriter?: OtherWriter;
  readonly note?: string;
}

/** A row, with who wrote the replicas last where that was read. */
export interface StatusRow extends RowDocument {
  readonly countWriter?: string;
}

export interface SummaryMetric {
  readonly name: string;
  readonly value?: string;
  readonly target?: string;
  readonly ratio?: number;
  readonly isBytes?: true;
  readonly replicas?: number;
  readonly error?: string;
}

/** Fields are only added within one version of the schema. */
export interface StatusDocument {
  readonly schema: "plimsoll/status/v1";
  readonly at: string;
  readonly items: readonly StatusRow[];
  readonly counts: Readonly<Record<string, number>>;
  readonly notes: readonly string[];
  readonly errors: readonly ObjectError[];
}

export function statusDocument(at: string, list: Omit<StatusDocument, "schema" | "at">): StatusDocument {
  return { schema: "plimsoll/status/v1", at, ...list };
}

/** What is unknown is left out; `countWriter` wrote the replicas last. */
export function statusRow(listed: SummaryRow, countWriter?: string): StatusRow {
  const { min, max, note: _, ...row } = listed;
  const note = noteBeside(listed);
  return {
    ...row,
    metrics: row.metrics.map(statusMetric),
    ...(countWriter === undefined ? {} : { countWriter }),
    ...(min === undefined ? {} : { minReplicas: min }),
    ...(max === undefined ? {} : { maxReplicas: max }),
    ...(note === undefined ? {} : { note }),
  };
}

function statusMetric({ value, target, ratio, ...metric }: RowMetric): SummaryMetric {
  return {
    ...metric,
    ...(value === null ? {} : { value }),
    ...(target === null ? {} : { target }),
    ...(typeof ratio === "number" ? { ratio } : {}),
  };
}

/** The note, unless the metrics say it themselves. */
export function noteBeside({ note, metrics, source }: Pick<SummaryRow, "note" | "metrics" | "source">) {
  if (source === "status") return "status only";
  return metrics.some((metric) => note === failureText(metric)) ? undefined : note;
}
