// Metrics of queries, relists and caches.
import type { CacheMeter } from "@plimsoll/component-base";
import type { PrometheusErrorKind } from "@plimsoll/prometheus";
import type { Registry } from "prom-client";
import type { UsageLack } from "../backends/prometheus/providers/usage.ts";
import { define } from "./counter.ts";

const ENDPOINTS = ["query", "series", "labels", "label_values"] as const;
export type PrometheusEndpoint = (typeof ENDPOINTS)[number];

/** A request that has ended. */
export interface PrometheusRequest {
  readonly endpoint: PrometheusEndpoint;
  readonly outcome: PrometheusOutcome;
  readonly seconds: number;
}

/** How a source is. Its name is that of the configuration. */
export interface SourceState {
  readonly name: string;
  /** Nothing is sent to it, because it cannot be reached. */
  readonly isOpen: boolean;
  /** Queries of tenants that got no response in time, and may still run in it. */
  readonly unanswered: number;
  /** The last relist of its rules had no failure. */
  readonly isListed: boolean;
}

/** Metrics of the engine. Every label has a fixed set of values. */
export interface EngineTelemetry {
  prometheusRequest(request: PrometheusRequest & { readonly source: string }): void;
  /** Reads the state of the sources when metrics are collected. */
  watchSources(read: () => readonly SourceState[]): void;
  /** Removes the metrics of a source that is not in the configuration any more. */
  forgetSource(name: string): void;
  prometheusWarnings(count: number): void;
  /** Series, and names of metrics and labels, that were too large and left out of responses. */
  prometheusLeftOut(lack: { source: string; endpoint: PrometheusEndpoint; items: number }): void;
  /**
   * Where the result of a query came from: the cache, a batched query of the namespace, an identical query in flight,
   * or Prometheus.
   */
  queryServed(source: "cache" | "batch" | "shared" | "prometheus"): void;
  relisted(relist: { failedRules: number; series: number; atMs: number }): void;
  /** Max age of cached results, as a share of the shortest scrape interval. */
  resultAgeShare(share: number): void;
  /** Samples that could not be used: not a number, infinite, or not of an object of the query. */
  samplesDropped(reason: DropReason, count: number): void;
  /** A pod or node that was left out of metrics.k8s.io, because it lacks a value. */
  usageLeftOut(resource: "pods" | "nodes", reason: UsageLack["reason"]): void;
}

const DROP_REASONS = ["not_a_number", "other_namespace", "several_series"] as const;
type DropReason = (typeof DROP_REASONS)[number];

const usageLacks: readonly UsageLack["reason"][] = ["no_usage", "no_cpu", "no_memory", "several_series"];

/**
 * How a request to Prometheus ended: what went wrong with it, canceled when its last caller left, and other for what
 * should not happen.
 */
export type PrometheusOutcome = PrometheusErrorKind | "ok" | "canceled" | "other";

const OUTCOMES = Object.keys({
  ok: 0,
  canceled: 0,
  other: 0,
  bad_data: 0,
  execution: 0,
  unreachable: 0,
  timeout: 0,
  unauthorized: 0,
  rate_limited: 0,
  server_error: 0,
  bad_response: 0,
  too_large: 0,
} satisfies Record<PrometheusOutcome, 0>);

export function createEngineTelemetry(registry: Registry | undefined, meter?: CacheMeter): EngineTelemetry {
  const metrics = define(registry === undefined ? [] : [registry]);
  const queries = queryMetrics(metrics);
  const relists = relistMetrics(metrics);
  const usage = metrics.plainCounter(
    "plimsoll_adapter_usage_left_out_total",
    "Pods and nodes without a value, left out of metrics.k8s.io.",
    ["resource", "reason"],
    ["pods", "nodes"].flatMap((one) => usageLacks.map((reason) => [one, reason])),
  );
  metrics.sampled("plimsoll_adapter_cache_bytes", "Estimated memory of caches.", ["cache"], (gauge) => {
    for (const [cache, bytes] of meter?.bytes() ?? []) gauge.set({ cache }, bytes);
  });
  return {
    prometheusRequest: ({ source, endpoint, outcome, seconds }) =>
      queries.requests.observe({ endpoint, outcome, source }, seconds),
    watchSources: (read) => createSourceGauges(metrics, read),
    forgetSource(source) {
      for (const endpoint of ENDPOINTS) {
        queries.leftOut.remove({ endpoint, source });
        for (const outcome of OUTCOMES) queries.requests.remove({ endpoint, outcome, source });
      }
    },
    prometheusWarnings: (count) => queries.warnings.inc(count),
    prometheusLeftOut: ({ source, endpoint, items }) => queries.leftOut.inc({ endpoint, source }, items),
    queryServed: (source) => queries.results.add(source),
    relisted({ failedRules, series, atMs }) {
      relists.total.inc({ outcome: failedRules === 0 ? "success" : "partial" });
      relists.failedRules.set(failedRules);
      relists.metrics.set(series);
      if (failedRules === 0) relists.last.set(atMs / 1000);
    },
    resultAgeShare: (share) => queries.ageShare.set(share),
    samplesDropped: (reason, count) => queries.dropped.inc({ reason }, count),
    usageLeftOut: (resource, reason) => usage.add(resource, reason),
  };
}

type Define = ReturnType<typeof define>;

function queryMetrics({ counter, gauge, histogram, plainCounter }: Define) {
  const requests = histogram(
    "plimsoll_adapter_prometheus_request_duration_seconds",
    "Duration of requests to Prometheus.",
    ["endpoint", "outcome", "source"],
  );
  const warnings = counter(
    "plimsoll_adapter_prometheus_warnings_total",
    "Warnings in Prometheus's responses, partial responses included.",
  );
  const leftOut = counter(
    "plimsoll_adapter_prometheus_left_out_total",
    "Series and names left out of Prometheus's responses because they are too large.",
    ["endpoint", "source"],
  );
  const results = plainCounter(
    "plimsoll_adapter_queries_total",
    "Queries, by where the result came from.",
    ["source"],
    [["cache"], ["batch"], ["shared"], ["prometheus"]],
  );
  const ageShare = gauge(
    "plimsoll_adapter_result_age_to_scrape_interval_ratio",
    "Maximum age of cached results / shortest scrape interval; above 0.5, new data is late.",
  );
  const dropped = counter("plimsoll_adapter_dropped_samples_total", "Samples left out of results.", [
    "reason",
  ]);
  for (const reason of DROP_REASONS) dropped.inc({ reason }, 0);
  return { requests, warnings, leftOut, results, ageShare, dropped };
}

function relistMetrics({ counter, gauge }: Define) {
  const total = counter("plimsoll_adapter_relists_total", "Relists of metrics.", ["outcome"]);
  for (const outcome of ["success", "partial"]) total.inc({ outcome }, 0);
  const failedRules = gauge(
    "plimsoll_adapter_relist_failed_rules",
    "Rules that failed in the last relist; their last metrics are served.",
  );
  const metrics = gauge("plimsoll_adapter_registered_metrics", "Metrics served.");
  const last = gauge(
    "plimsoll_adapter_last_successful_relist_timestamp_seconds",
    "Last relist without a failed rule.",
  );
  return { total, failedRules, metrics, last };
}

function createSourceGauges({ sampled }: Define, read: () => readonly SourceState[]): void {
  sampled(
    "plimsoll_adapter_source_circuit_open",
    "1 while the source can't be reached.",
    ["source"],
    (gauge) => {
      for (const { name, isOpen } of read()) gauge.set({ source: name }, isOpen ? 1 : 0);
    },
  );
  sampled(
    "plimsoll_adapter_source_listed",
    "1 if the last relist of the source's rules had no failure.",
    ["source"],
    (gauge) => {
      for (const { name, isListed } of read()) gauge.set({ source: name }, isListed ? 1 : 0);
    },
  );
  sampled(
    "plimsoll_adapter_source_unanswered_queries",
    "Tenants' queries that timed out and may still run.",
    ["source"],
    (gauge) => {
      for (const { name, unanswered } of read()) gauge.set({ source: name }, unanswered);
    },
  );
}
