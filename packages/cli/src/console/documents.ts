// The documents of the console, beside those of the autoscaler's own endpoint. The page has the same types.
import type { StatusComparison } from "@plimsoll/core";
import type { Finding, SkippedRule } from "@plimsoll/doctor";
import type { SummaryMetric, SummaryRow } from "../decisions/source.ts";

/** An object, as an address names it. */
export interface ObjectKey {
  readonly resource: SummaryRow["resource"];
  readonly namespace: string;
  readonly name: string;
}

export type Availability = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** What this server has. */
export interface ConsoleIndex {
  readonly schema: "plimsoll/console/v1";
  readonly version: string;
  readonly context?: string;
  readonly source: "recorded" | "recomputed";
  readonly via: string;
  readonly periodMs: number;
  readonly namespaces?: readonly string[];
  readonly namespace: string;
  readonly parts: Readonly<Record<"stream" | "records" | "shadow" | "findings" | "history", Availability>>;
}

/** A row of the summary, as the autoscaler has it, with its source. */
export interface PageRow extends Omit<SummaryRow, "metrics" | "minReplicas" | "maxReplicas"> {
  readonly min?: number;
  readonly max?: number;
  readonly metrics: readonly PageMetric[];
}

export interface PageMetric extends Omit<SummaryMetric, "value" | "target" | "ratio"> {
  readonly value: string | null;
  readonly target: string | null;
  readonly ratio: number | null;
}

export interface SummaryPage {
  readonly items: readonly PageRow[];
  readonly continue?: string;
  readonly total: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly notes: readonly string[];
}

/** A decision that was made again here. */
export interface RecomputedDecision extends ObjectKey {
  readonly at: string;
  readonly uid: string;
  readonly mode: string;
  readonly applied: "nothing-to-do";
  readonly decision: object;
  readonly source: "recomputed";
  readonly verdict?: StatusComparison["verdict"];
  readonly comparison?: StatusComparison;
  readonly assumptions: readonly object[];
  readonly notes: readonly string[];
  readonly errors: readonly string[];
}

export interface FindingsPage {
  readonly at: string;
  readonly findings: readonly Finding[];
  readonly skipped: readonly SkippedRule[];
  readonly checked: { readonly objects: number; readonly rules: number };
}

/** What Prometheus has of one object. */
export interface HistoryPage {
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly series: readonly HistorySeries[];
  readonly notes: readonly string[];
}

export interface HistorySeries {
  readonly kind: "current" | "desired" | "min" | "max" | "metric" | "target";
  readonly metric?: number;
  readonly name: string;
  readonly values: readonly (number | null)[];
}
