// Carries over what a HorizontalPodAutoscaler says to kube-metrics-adapter: queries and schedules.
import type { ScheduleSpec } from "@plimsoll/core/schedules";
import type { Document } from "yaml";
import type { ConvertSettings } from "../converter.ts";
import { createFindings, type Findings } from "../findings.ts";
import { metricNameOf, type NeededRule } from "../needed-rule.ts";
import { type Json, jsonOf, type SourceObject } from "../source.ts";
import { fieldPath, textOf } from "../values.ts";
import { collectorOf, noteCollector } from "./collectors.ts";
import { type MetricConfigs, metricKey, readMetricConfigs } from "./metric-config.ts";
import { type MetricPlace, placesOf } from "./metric-place.ts";
import { type QueryMetric, readQueryMetric } from "./query-metric.ts";
import { namespaceOf, scheduleKinds } from "./schedule-converter.ts";
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
  const metadata = jsonOf(source.value["metadata"]);
  const configs = readMetricConfigs(metadata);
  const spec = jsonOf(jsonOf(document.toJS())["spec"]);
  const places = placesOf(spec["metrics"]);
  const changes = places.map((place) => changeOf(place, { configs, source, spec }, context, findings));
  noteUnused(configs, places, findings);
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
  const schedules = changes.flatMap((change) => (change?.kind === "schedules" ? change.schedules : []));
  if (schedules.length > 0) document.setIn(["spec", "schedules"], document.createNode(schedules));
  if (places.length > 0 && changes.every((change) => change?.kind === "schedules"))
    document.deleteIn(["spec", "metrics"]);
  return { findings, rules };
}

type Change =
  | ({ readonly kind: "query" } & QueryMetric)
  | { readonly kind: "schedules"; readonly schedules: readonly ScheduleSpec[] };

function changeOf(
  place: MetricPlace,
  { configs, source, spec }: { configs: MetricConfigs; source: SourceObject; spec: Json },
  { settings, all }: Context,
  findings: Findings,
): Change | undefined {
  const described = jsonOf(place.source["describedObject"]);
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

function externalMetric(name: string, target: Json): object {
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
      remedy: "nothing is to be done; they had no effect",
    });
  }
  for (const name of ignored)
    findings.note({
      path: fieldPath("metadata.annotations", name),
      message: "is left out: kube-metrics-adapter passes it over",
      remedy: "nothing is to be done; it had no effect",
    });
}
