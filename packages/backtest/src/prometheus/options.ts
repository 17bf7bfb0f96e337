// What a history is read with.
import type { Matcher, PrometheusClient } from "@plimsoll/prometheus";
import type { CompiledRules } from "@plimsoll/rules";
import type { RecordedSpan, Recording } from "../replay/recording.ts";
import { HistoryError, instantText } from "./errors.ts";
import type { HistoryProgress } from "./plan.ts";

/** Of a reading: more is an error that says so. */
export interface HistoryLimits {
  readonly pods: number;
  readonly samples: number;
}

export interface HistoryOptions {
  readonly client: PrometheusClient;
  /** The manifest of a HorizontalPodAutoscaler or WorkloadAutoscaler: behavior and selectors are in no series. */
  readonly object: unknown;
  readonly span: RecordedSpan;
  /** Further labels of the series of kube-state-metrics, such as the cluster. */
  readonly selector?: readonly Matcher[];
  /** Of the metrics adapter: gives the queries of Pods, Object and External metrics. */
  readonly rules?: CompiledRules;
  /** By the name of a metric: the query that is used instead. */
  readonly queries?: Readonly<Record<string, string>>;
  /** "status" reads no metric, only what the status says of them. Default "series". */
  readonly level?: "series" | "status";
  /** As configured. Default 15 s. */
  readonly syncPeriodMs?: number;
  /** spec.terminationGracePeriodSeconds of the pods. Default: what fits their deletions. */
  readonly graceMs?: number;
  /** Reads what there is of a span that is not whole. */
  readonly isPartial?: boolean;
  readonly limits?: Partial<HistoryLimits>;
  readonly nowMs: () => number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: HistoryProgress) => void;
}

/** A recording, and what a person should know of it. */
export interface HistoryRead {
  readonly recording: Recording;
  readonly notes: readonly string[];
  readonly requests: number;
}

export const defaultLimits: HistoryLimits = { pods: 20_000, samples: 50_000_000 };

/** @throws HistoryError for a span that ends before it begins, or has not begun */
export function checkedSpan({ span: { fromMs, toMs }, nowMs }: HistoryOptions): RecordedSpan {
  const endMs = Math.min(toMs, nowMs());
  if (fromMs < endMs) return { fromMs, toMs: endMs };
  const message = `the span from ${instantText(fromMs)} to ${instantText(endMs)} is empty: it must begin in the past and before its end`;
  throw new HistoryError("options", message);
}
