// Carries over what a HorizontalPodAutoscaler says to kube-metrics-adapter: queries and schedules.
import { type Fields, fieldsOf } from "@plimsoll/core/internal/values";
import type { ScheduleSpec } from "@plimsoll/core/schedules";
import type { Document } from "yaml";
import { namespaceOf, type SourceObject } from "../../manifests/source.ts";
import type { ConvertSettings } from "../converter.ts";
import { createFindings, type Findings } from "../findings.ts";
import { metricNameOf, type NeededRule } from "../needed-rule.ts";
import { fieldPath, textOf } from "../values.ts";
import { type MetricConfig, type MetricConfigs, metricKey, readMetricConfigs } from "./metric-config.ts";
import { type MetricPlace, placesOf } from "./metric-place.ts";
import { type QueryMetric, readQueryMetric } from "./query-metric.ts";
import { scheduleKinds } from "./schedule-converter.ts";
import { readScheduleMetric } from "./schedule-metric.ts";

export interface Adapted {
  readonly findings: Findings;
  readonly rules: readonly NeededRule[];
}

interface Context {
  readonly settings: ConvertSettings;
  readonly all: readonly SourceObject[];
}

/**
 * Changes the document, which is the WorkloadAutoscaler of the HPA: metrics of queries read rules of our adapter, metrics
 * of schedules become schedules. Without anything of kube-metrics-adapter's nothing is changed.
 */
export function adaptToOurs(source: SourceObject, document: Document, context: Context): Adapted {
  const findings = createFindings();
  const metadata = fieldsOf(source.value["metadata"]);
  const configs = readMetricConfigs(metadata);
  const spec = fieldsOf(fieldsOf(document.toJS())["spec"]);
  const places = placesOf(spec["metrics"]);
  const changes = places.map((place) => changeOf(place, { configs, source, spec }, context, findings));
  noteUnused(configs, places, findings);
  const schedules = changes.flatMap((change) => (change?.kind === "schedules" ? change.schedules : []));
  const isScheduled = places.length > 0 && changes.every((change) => change?.kind === "schedules");
  if (isScheduled && schedules.length === 0) findings.problem(emptySchedules);
  if (findings.problems.length > 0) return { findings, rules: [] };
  const object = { name: textOf(metadata["name"]) ?? "", namespace: textOf(metadata["namespace"]) ?? "" };
  const rules: NeededRule[] = [];
  for (const [index, change] of changes.entries()) {
    if (change?.kind !== "query") continue;
    const metric = metricNameOf(object, change.name);
    document.setIn(["spec", "metrics", index], externalMetric(metric, change.target));
    rules.push({ metric, promql: change.promql, server: change.server });
  }
  for (let index = changes.length - 1; index >= 0; index--)
    if (changes[index]?.kind === "schedules") document.deleteIn(["spec", "metrics", index]);
  if (schedules.length > 0) document.setIn(["spec", "schedules"], document.createNode(schedules));
  if (isScheduled) document.deleteIn(["spec", "metrics"]);
  return { findings, rules };
}

/** The object would have neither metrics nor schedules, and would keep the replicas that there are. */
const emptySchedules = {
  path: "spec.metrics",
  message: "has only schedules whose values are 0, so nothing would scale the target to minReplicas",
  remedy: "use a value above 0, or delete this object and set the replicas of the target",
};

type Change =
  | ({ readonly kind: "query" } & QueryMetric)
  | { readonly kind: "schedules"; readonly schedules: readonly ScheduleSpec[] };

function changeOf(
  place: MetricPlace,
  { configs, source, spec }: { configs: MetricConfigs; source: SourceObject; spec: Fields },
  { settings, all }: Context,
  findings: Findings,
): Change | undefined {
  const described = fieldsOf(place.source["describedObject"]);
  if (place.type === "Object" && scheduleKinds.some((kind) => kind === described["kind"])) {
    const schedules = readScheduleMetric(
      place,
      { namespace: namespaceOf(source), spec, all, settings },
      findings,
    );
    return schedules === undefined ? undefined : { kind: "schedules", schedules };
  }
  const config = configs.byMetric.get(metricKey(place.type, place.name));
  const collector = collectorOf(place, config);
  if (collector === undefined) return undefined;
  if (collector !== "prometheus" || place.type === "Pods") {
    noteCollector(place, collector, findings);
    return undefined;
  }
  const query = readQueryMetric(place, config, findings);
  return query === undefined ? undefined : { kind: "query", ...query };
}

function externalMetric(name: string, target: Fields): object {
  return { type: "External", external: { metric: { name }, target } };
}

function noteUnused(
  { byMetric, ignored }: MetricConfigs,
  places: readonly MetricPlace[],
  findings: Findings,
): void {
  const used = new Set(places.map(({ type, name }) => metricKey(type, name)));
  for (const key of byMetric.keys()) {
    if (used.has(key)) continue;
    findings.note({
      path: "metadata.annotations",
      value: key,
      message: "has annotations metric-config, but the object has no such metric",
      remedy: "nothing to do; they had no effect",
    });
  }
  for (const name of ignored)
    findings.note({
      path: fieldPath("metadata.annotations", name),
      message: "is left out: kube-metrics-adapter ignores it",
      remedy: "nothing to do; it had no effect",
    });
}

/** Values of the label `type` in the selector of an External metric; the last ones are old names of metrics. */
const externalTypes: Readonly<Record<string, string>> = {
  prometheus: "prometheus",
  "json-path": "json-path",
  http: "json-path",
  "sqs-queue-length": "aws",
  influxdb: "influxdb",
  nakadi: "nakadi",
  zmon: "zmon",
};
const oldNames: Readonly<Record<string, string>> = {
  "prometheus-query": "prometheus",
  "flux-query": "influxdb",
  "zmon-check": "zmon",
  "sqs-queue-length": "aws",
};

/** Of an Ingress, with the name of a backend after a comma in old objects. */
const requests = /^requests-per-second(?:,.*)?$/;

/** Undefined for a metric that nothing says is kube-metrics-adapter's. */
function collectorOf(
  { type, name, source }: MetricPlace,
  config: MetricConfig | undefined,
): string | undefined {
  if (config !== undefined) return config.collector;
  if (type === "Object") {
    const { kind } = fieldsOf(source["describedObject"]);
    return kind === "RouteGroup" || (kind === "Ingress" && requests.test(name)) ? "skipper" : undefined;
  }
  if (type !== "External") return undefined;
  const { matchLabels } = fieldsOf(fieldsOf(source["metric"])["selector"]);
  const label = textOf(fieldsOf(matchLabels)["type"]);
  if (label !== undefined && Object.hasOwn(externalTypes, label)) return externalTypes[label];
  return Object.hasOwn(oldNames, name) ? oldNames[name] : undefined;
}

/** The metric stays as it is, and nothing serves it yet. */
function noteCollector({ path, name }: MetricPlace, collector: string, findings: Findings): void {
  findings.note({
    path: `${path}.metric.name`,
    value: name,
    message: `is read by the collector ${collector} of kube-metrics-adapter, which has no equivalent; the metric is kept, and fails until a rule serves it`,
    remedy: "export the value to Prometheus, and add a rule for it to metrics-adapter",
  });
}
