// The Prometheus metrics of the autoscaler.
import type { KeyedEntries } from "@plimsoll/component-base";
import type { Decision, TraceStep } from "@plimsoll/core";
import type { MetricsApiResult } from "@plimsoll/observe";
import { Counter, Histogram, type Registry } from "prom-client";
import type { Ownership } from "../objects/ownership.ts";
import { keyOf, labelsOfKey, type ScalingObject } from "../objects/scaling-object.ts";
import type { BuiltInState } from "../shadow/built-in.ts";
import { define } from "./define.ts";
import { type Family, familySlices, labelText } from "./exposition.ts";

export interface Evaluation {
  readonly hpa: ScalingObject;
  readonly mode: Ownership;
  readonly builtIn: BuiltInState | undefined;
  readonly metricTookMs: readonly number[];
  readonly tookMs: number;
  /** A write that failed; it makes the pass an internal error, as upstream counts. */
  readonly failure: string | undefined;
}

export interface Telemetry {
  readonly evaluated: (decision: Decision, evaluation: Evaluation) => void;
  /** An evaluation ended in an exception. */
  readonly crashed: () => void;
  readonly metricsApiCall: (api: string, result: MetricsApiResult) => void;
  readonly period: (period: { readonly lateMs: number; readonly isSkipped: boolean }) => void;
  /** A managed object was left to another client that writes it. */
  readonly foreignWriter: (what: "status" | "scale") => void;
  /** Removes the series of an object that is gone. */
  readonly drop: (key: string) => void;
  /** Objects that have a series. */
  readonly entries: KeyedEntries;
  /** The series of single objects with upstream's name, as text. */
  readonly desiredSlices: () => Iterable<string>;
}

/** 1 ms doubled fourteen times, as upstream has it. */
const upstreamBuckets = Array.from({ length: 15 }, (_, n) => 0.001 * 2 ** n);
const prefix = "plimsoll_hpa_controller";

/**
 * Metrics with upstream's names, labels and buckets under our prefix, and a few of our own.
 *
 * @upstream pkg/controller/podautoscaler/monitor/metrics.go
 */
export function createTelemetry(registry: Registry): Telemetry {
  const metrics = createMetrics(registry);
  /** By the object's key; made into samples when metrics are scraped. */
  const desired = new Map<string, number>();

  return {
    evaluated(decision, evaluation) {
      const { hpa, mode } = evaluation;
      const labels = {
        action: decision.outcome.action,
        error: evaluation.failure === undefined ? decision.outcome.error : "internal",
      };
      metrics.reconciliations.inc(labels);
      metrics.reconciliationSeconds.observe(labels, evaluation.tookMs / 1000);
      for (const step of decision.trace) countMetric(step, evaluation);
      desired.set(keyOf(hpa), decision.desiredReplicas);
      if (mode === "shadow" && evaluation.builtIn !== undefined) {
        const isSame = evaluation.builtIn.desiredReplicas === decision.desiredReplicas;
        metrics.shadow.inc({ result: isSame ? "same" : "different" });
      }
    },
    crashed: () => metrics.crashes.inc(),
    metricsApiCall: (api, result) => metrics.apiCalls.inc({ api, result }),
    period({ lateMs, isSkipped }) {
      if (isSkipped) metrics.skipped.inc();
      else metrics.lateness.observe(lateMs / 1000);
    },
    foreignWriter: (what) => metrics.foreignWriters.inc({ what }),
    drop: (key) => desired.delete(key),
    entries: desired,
    desiredSlices: () => familySlices(desiredFamily, [...desired]),
  };

  function countMetric(step: TraceStep, { hpa, metricTookMs }: Evaluation): void {
    if (step.kind !== "metric") return;
    const labels = {
      action: actionOf(step.replicas, hpa.status?.currentReplicas ?? 0),
      error: errorOf(step.error?.reason),
      metric_type: step.type,
    };
    metrics.computations.inc(labels);
    metrics.computationSeconds.observe(labels, (metricTookMs[step.index] ?? 0) / 1000);
  }
}

/** The table of what is counted. */
function createMetrics(registry: Registry) {
  const { counter } = define(registry);
  const histogram = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
    new Histogram({ name, help, labelNames, buckets: upstreamBuckets, registers: [registry] });
  return {
    reconciliations: counter(`${prefix}_reconciliations_total`, "Evaluations, by action and error.", [
      "action",
      "error",
    ]),
    reconciliationSeconds: histogram(
      `${prefix}_reconciliation_duration_seconds`,
      "Duration of an evaluation, writes included.",
      ["action", "error"],
    ),
    computations: counter(
      `${prefix}_metric_computation_total`,
      "Metrics evaluated, by the direction that they proposed.",
      ["action", "error", "metric_type"],
    ),
    computationSeconds: histogram(
      `${prefix}_metric_computation_duration_seconds`,
      "Duration of reading a metric.",
      ["action", "error", "metric_type"],
    ),
    foreignWriters: counter(
      "plimsoll_foreign_writers_total",
      "Other clients' writes to managed status or replicas.",
      ["what"],
    ),
    crashes: counter(
      `${prefix}_crashed_evaluations_total`,
      "Evaluations that threw an unexpected exception.",
    ),
    skipped: counter(`${prefix}_skipped_syncs_total`, "Skipped periods: still evaluating, or backing off."),
    lateness: histogram(`${prefix}_sync_lateness_seconds`, "Delay of evaluations."),
    apiCalls: counter(
      "plimsoll_metrics_api_requests_total",
      "Requests to metrics APIs; bad_response: an unusable response.",
      ["api", "result"],
    ),
    shadow: counter(
      "plimsoll_shadow_decisions_total",
      "Decisions in shadow, compared with the managing controller's last status.",
      ["result"],
    ),
  };
}

/** Gauges that are read when they are scraped. */
export function registerSizes(
  registry: Registry,
  sizes: {
    readonly objects: () => number;
    readonly workloadAutoscalers: () => number;
    readonly waiting: () => number;
    readonly slow: () => number;
    readonly yielded: () => number;
    readonly ownedShards: () => number;
  },
): void {
  const { sampled } = define(registry);
  sampled(`${prefix}_num_horizontal_pod_autoscalers`, "HorizontalPodAutoscalers watched.", sizes.objects);
  sampled("plimsoll_workload_autoscalers", "WorkloadAutoscalers watched.", sizes.workloadAutoscalers);
  sampled(`${prefix}_waiting_evaluations`, "Evaluations waiting for a worker.", sizes.waiting);
  sampled(`${prefix}_slow_evaluations`, "Evaluations waiting for a slow API.", sizes.slow);
  sampled("plimsoll_yielded_objects", "Objects yielded to another controller.", sizes.yielded);
  sampled("plimsoll_shards_owned", "Shards of this process; 1 for a leader.", sizes.ownedShards);
}

/** Upstream has it for each object, so we have it for each, too. */
const desiredFamily: Family<readonly [key: string, replicas: number]> = {
  name: `${prefix}_desired_replicas`,
  help: "Replicas after the last evaluation.",
  write([key, replicas], add) {
    const { namespace, hpa_name: name, kind } = labelsOfKey(key);
    add(replicas, `${labelText("namespace", namespace)},${labelText("hpa_name", name)},kind="${kind}"`);
  },
};

/** Compared with the count of the evaluation before this one, as upstream does. */
function actionOf(proposal: number | undefined, before: number): "scale_up" | "scale_down" | "none" {
  if (proposal === undefined || proposal === before) return "none";
  return proposal > before ? "scale_up" : "scale_down";
}

function errorOf(reason: string | undefined): "none" | "spec" | "internal" {
  if (reason === undefined) return "none";
  return reason === "InvalidMetricSourceType" ? "spec" : "internal";
}

/** Counts objects that are left out, by resource. */
export function createLeftOutCounter(registry: Registry): (resource: string) => void {
  const counter = define(registry).counter(
    "plimsoll_objects_left_out_total",
    "Objects left out because they are too large or unreadable.",
    ["resource"],
  );
  return (resource) => counter.inc({ resource });
}

/** Records of --record-inputs that are in no file. */
export function registerLostRecords(registry: Registry, lost: () => number): void {
  registry.registerMetric(
    new Counter({
      name: "plimsoll_decision_records_lost_total",
      help: "Records of decisions that couldn't be written in time.",
      registers: [],
      collect() {
        this.reset();
        this.inc(lost());
      },
    }),
  );
}
