import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { createTally } from "./tally.ts";

export type PrometheusEndpoint = "query" | "series" | "labels" | "label_values";

/** What the engine tells about itself. Every label has a fixed set of values. */
export interface EngineTelemetry {
  prometheusRequest(request: { endpoint: PrometheusEndpoint; outcome: string; seconds: number }): void;
  prometheusWarnings(count: number): void;
  /**
   * Where a query's answer came from: the cache, a query for all requests of the namespace that another one had sent,
   * an identical request, or Prometheus.
   */
  queryAnswered(source: "cache" | "batch" | "shared" | "prometheus"): void;
  relisted(relist: { failedRules: number; series: number; atMs: number }): void;
  /** Samples that were no use: not a number, infinite, or not of an object that was asked for. */
  /** How old an answer may be when it is given again, as a share of the shortest scrape interval. */
  resultAgeShare(share: number): void;
  samplesDropped(reason: "not_a_number" | "other_namespace", count: number): void;
}

const OUTCOMES = ["ok", "unreachable", "timeout", "bad_data", "execution", "rate_limited", "server_error"];

export function createEngineTelemetry(registry: Registry | undefined): EngineTelemetry {
  const registers = registry === undefined ? [] : [registry];
  const requests = new Histogram({
    name: "plimsoll_adapter_prometheus_request_duration_seconds",
    help: "Time that requests to Prometheus took, by endpoint and outcome.",
    labelNames: ["endpoint", "outcome"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const warnings = new Counter({
    name: "plimsoll_adapter_prometheus_warnings_total",
    help: "Warnings that came with answers of Prometheus, partial answers among them.",
    registers,
  });
  const answers = createTally({
    name: "plimsoll_adapter_queries_total",
    help: "Queries that requests needed, by where the answer came from.",
    labelNames: ["source"],
    registers,
    known: [["cache"], ["batch"], ["shared"], ["prometheus"]],
  });
  const relists = new Counter({
    name: "plimsoll_adapter_relists_total",
    help: "Times that the metrics were listed anew, by outcome.",
    labelNames: ["outcome"],
    registers,
  });
  const failedRules = new Gauge({
    name: "plimsoll_adapter_relist_failed_rules",
    help: "Rules for which the last relist failed; what was known of them is kept.",
    registers,
  });
  const metrics = new Gauge({
    name: "plimsoll_adapter_registered_metrics",
    help: "Metrics that can be asked for.",
    registers,
  });
  const lastRelist = new Gauge({
    name: "plimsoll_adapter_last_successful_relist_timestamp_seconds",
    help: "When the metrics were last listed with every rule answered.",
    registers,
  });
  const ageShare = new Gauge({
    name: "plimsoll_adapter_result_age_to_scrape_interval_ratio",
    help: "Age up to which answers are given again, by the shortest scrape interval; above 0.5 new data go unseen for long.",
    registers,
  });
  const dropped = new Counter({
    name: "plimsoll_adapter_dropped_samples_total",
    help: "Samples that were left out of answers, by reason.",
    labelNames: ["reason"],
    registers,
  });
  for (const outcome of ["success", "partial"]) relists.inc({ outcome }, 0);
  for (const reason of ["not_a_number", "other_namespace"]) dropped.inc({ reason }, 0);
  return {
    prometheusRequest: ({ endpoint, outcome, seconds }) =>
      requests.observe({ endpoint, outcome: OUTCOMES.includes(outcome) ? outcome : "other" }, seconds),
    prometheusWarnings: (count) => warnings.inc(count),
    queryAnswered: (source) => answers.add(source),
    relisted({ failedRules: failed, series, atMs }) {
      relists.inc({ outcome: failed === 0 ? "success" : "partial" });
      failedRules.set(failed);
      metrics.set(series);
      if (failed === 0) lastRelist.set(atMs / 1000);
    },
    resultAgeShare: (share) => ageShare.set(share),
    samplesDropped: (reason, count) => dropped.inc({ reason }, count),
  };
}
