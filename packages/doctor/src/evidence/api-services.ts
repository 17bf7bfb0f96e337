// APIServices of the metrics APIs, and which metrics need which.
import { type Fields, textOf } from "@plimsoll/core/internal/values";
import type { Metric } from "./autoscaler.ts";
import { at } from "./fields.ts";
import { nameOf } from "./meta.ts";

export const metricsGroups = ["metrics.k8s.io", "custom.metrics.k8s.io", "external.metrics.k8s.io"] as const;
export type MetricsGroup = (typeof metricsGroups)[number];

/** The API that serves a metric. */
export function groupOfMetric({ type }: Metric): MetricsGroup {
  if (type === "External") return "external.metrics.k8s.io";
  return type === "Pods" || type === "Object" ? "custom.metrics.k8s.io" : "metrics.k8s.io";
}

export function servicesOf(apiServices: readonly Fields[], group: MetricsGroup): readonly Fields[] {
  return apiServices.filter((service) => groupServed(service) === group);
}

/** Of "v1beta1.metrics.k8s.io", in case the specification does not say it. */
function groupServed(service: Fields): string {
  return textOf(at(service, "spec", "group")) || nameOf(service).replace(/^[^.]+\./, "");
}

/** "monitoring/prometheus-adapter"; "" for what kube-apiserver serves itself. */
export function backendOf(service: Fields): string {
  const name = textOf(at(service, "spec", "service", "name"));
  return name === "" ? "" : `${textOf(at(service, "spec", "service", "namespace"))}/${name}`;
}
