// What is known of one autoscaler over a span of time: what it read, and what it decided. Plain data, whatever it was read from.

/** Values are numbers in the unit of the metric: cores of cpu, bytes of memory, percent of the requests. */
export interface Recording {
  readonly version: 1;
  readonly target: RecordedTarget;
  readonly span: RecordedSpan;
  readonly autoscaler: {
    /** The manifest as it was read. */
    readonly object: unknown;
    /** Bounds, targets and tolerances as they changed, in time. */
    readonly changes: readonly SpecChange[];
  };
  readonly syncs: { readonly atMs: readonly number[]; readonly clock: "known" | "recovered" | "unknown" };
  readonly pods: readonly RecordedPod[];
  /** The count that the target was given, in time. */
  readonly scale: readonly RecordedStep[];
  /** One for each of spec.metrics. */
  readonly metrics: readonly RecordedMetric[];
  /** In time. */
  readonly status: readonly StatusTriple[];
}

export interface RecordedTarget {
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
}

export interface RecordedSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A gap or a state; without an end it goes on. */
export interface OpenSpan {
  readonly fromMs: number;
  readonly toMs?: number;
}

/**
 * It happened after earliestMs and not after atMs, where it was first seen. Before the first change of a field the
 * manifest counts. A target has the unit of its metric; a tolerance is of both directions.
 */
export interface SpecChange {
  readonly atMs: number;
  readonly earliestMs: number;
  readonly field: "minReplicas" | "maxReplicas" | "target" | "generation" | "tolerance";
  /** Position in spec.metrics, of a target. */
  readonly metricIndex?: number;
  readonly value: number;
}

export interface RecordedPod {
  readonly name: string;
  readonly createdMs: number;
  /** When the kubelet took it. */
  readonly startedMs?: number;
  /** When its phase became Running; absent: it is taken for startedMs. */
  readonly runningMs?: number;
  readonly ready: readonly OpenSpan[];
  /** When it was asked to go. */
  readonly deletedMs?: number;
  /** When it was no longer there; absent: that is unknown. */
  readonly goneMs?: number;
  /** By container, by resource: quantities. */
  readonly requests: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** An instant may be so much later than it says: 1000 for whole seconds. */
  readonly uncertaintyMs: number;
}

/** The count from atMs on, where it was first seen; it came after earliestMs. */
export interface RecordedStep {
  readonly atMs: number;
  readonly earliestMs: number;
  readonly value: number;
}

/** Where the values of a metric are from. "none": it is unknown at all. */
export type RecordedLevel = "exact" | "series" | "status" | "none";

export interface RecordedMetric {
  /** Position in spec.metrics. */
  readonly index: number;
  readonly level: RecordedLevel;
  /** Of a query: the time over which each value is a mean; 0: between two scrapes. */
  readonly rangeMs?: number;
  /** Of a resource metric: what its values say that they cover, where they do not say so themselves. Absent: 15 seconds. */
  readonly windowMs?: number;
  /** In time. */
  readonly samples: readonly RecordedSample[];
  readonly gaps: readonly RecordedSpan[];
}

export interface RecordedSample {
  readonly atMs: number;
  readonly values: readonly RecordedValue[];
}

/** Without a pod: of an object, or an external series. */
export interface RecordedValue {
  readonly pod?: string;
  readonly value: number;
  /** Of a resource metric: when it was measured, and over how long. Absent: with the sample, over that of the metric. */
  readonly measuredMs?: number;
  readonly windowMs?: number;
}

/** One scrape of the status: the count before a decision, the values it was made from, and what it gave. */
export interface StatusTriple {
  readonly atMs: number;
  readonly currentReplicas: number;
  readonly desiredReplicas: number;
  /** By position in spec.metrics. */
  readonly values: readonly (number | undefined)[];
  readonly scalingActive?: boolean;
}
