// Rules about metrics that are not served, and about the rules that serve them.
import { ageText, counted, type Fields, nearest } from "@plimsoll/core/internal/values";
import type { Autoscaler, Metric } from "../evidence/autoscaler.ts";
import { isResourceMetric } from "../evidence/autoscaler.ts";
import type { AdapterRule, FactReadings, MetricReading } from "../evidence/facts.ts";
import { nameOf } from "../evidence/meta.ts";
import { isReady, readySinceMs } from "../evidence/pods.ts";
import { valueOf } from "../evidence/reading.ts";
import type { EvidenceItem, FindingObject } from "../finding.ts";
import {
  type ClusterContext,
  clusterRule,
  type Found,
  item,
  type ObjectContext,
  objectRule,
  type Rule,
} from "../rule.ts";
import { printSome } from "../text/lists.ts";
import { thresholds } from "../thresholds.ts";

export function metricField({ kind, namespace, name }: Autoscaler, { index }: Metric): string {
  return `${kind} ${namespace}/${name} .spec.metrics[${index}]`;
}

/** The names that the API of the metric serves, without the resources they belong to; undefined: not known. */
function servedNames({ type }: Metric, readings: FactReadings): readonly string[] | undefined {
  const names = valueOf(type === "External" ? readings.externalMetrics : readings.customMetrics);
  return names?.map((name) => name.slice(name.indexOf("/") + 1));
}

export function isNotFound({ samples, status }: MetricReading): boolean {
  return (
    "error" in samples &&
    (status === 404 || /could not find the (requested resource|metric)/.test(samples.error))
  );
}

function isServed(metric: Metric, readings: FactReadings): boolean {
  return servedNames(metric, readings)?.includes(metric.name) === true;
}

function notServed({ object, facts, readings }: ObjectContext<"samples">): readonly Found[] {
  return namedMetrics(object).flatMap((metric): readonly Found[] => {
    const reading = facts.samples[metric.index];
    if (reading !== undefined && metric.isQuery) return unservedQuery(object, metric, reading);
    if (reading === undefined || !isNotFound(reading) || isServed(metric, readings)) return [];
    const names = servedNames(metric, readings);
    const near = nearest(metric.name, [...new Set(names ?? [])]);
    return [
      {
        title: `the metric ${metric.name} is not served`,
        evidence: [
          item(
            metric.name,
            "error" in reading.samples ? reading.samples.error : "",
            metricField(object, metric),
          ),
          ...(near.length > 0 ? [item("served are", printSome(near), "discovery of the metrics API")] : []),
          ...(names?.length === 0
            ? [item("served are", "no metrics at all", "discovery of the metrics API")]
            : []),
        ],
        fix:
          near[0] === undefined
            ? undefined
            : `use a metric that is served, such as ${near[0]}, or add a rule for ${metric.name}`,
      },
    ];
  });
}

/** What another metric than a refused query may have too, and what passes: other rules look at that. */
const notRefused: ReadonlySet<string> = new Set([
  "NoSeries",
  "NoObjectLabel",
  "NoValue",
  "QueryFailed",
  "NotRead",
]);

export function isRefusedQuery({ samples }: Pick<MetricReading, "samples">): boolean {
  return "error" in samples && samples.reason !== undefined && !notRefused.has(samples.reason);
}

/** Why, as the metrics API says it: a query that is refused, or an adapter that serves none. */
function unservedQuery(object: Autoscaler, metric: Metric, { samples }: MetricReading): readonly Found[] {
  if (!("error" in samples) || !isRefusedQuery({ samples })) return [];
  return [
    {
      title: `the query ${metric.name} is ${samples.reason === "NotServed" ? "not served" : `refused: ${samples.reason}`}`,
      evidence: [item(metric.name, samples.error, metricField(object, metric))],
      fix: fixOfQuery(samples.reason),
    },
  ];
}

function fixOfQuery(reason: string | undefined): string {
  if (reason === "LiveDisabled")
    return "start metrics-adapter with --live-metrics, or remove live from the query";
  return reason === "NotServed"
    ? "point the APIServices of custom.metrics.k8s.io and external.metrics.k8s.io to metrics-adapter with --metric-rules=true, or use a metric of the other adapter"
    : "correct the query as the message says; check it before you apply it with plimsoll rules check";
}

function namedMetrics({ metrics }: Autoscaler): readonly Metric[] {
  return metrics.filter((metric) => !isResourceMetric(metric));
}

function withoutSamples({
  object,
  facts,
  readings,
  nowMs,
}: ObjectContext<"samples" | "pods">): readonly Found[] {
  const settled = facts.pods.filter((pod) => isSettled(pod, nowMs));
  return object.metrics.flatMap((metric): readonly Found[] => {
    const reading = facts.samples[metric.index];
    const why = reading === undefined ? undefined : emptyBecause(metric, reading, settled.map(nameOf));
    if (reading === undefined || why === undefined) return [];
    // A metric that nothing serves is the business of another rule.
    if ("error" in reading.samples && !isServed(metric, readings)) return [];
    return [
      {
        title: `the metric ${metric.name} exists, but has no sample for this object`,
        evidence: [item(metric.name, why, metricField(object, metric)), ...labelsSeen(metric, readings)],
        fix: isResourceMetric(metric)
          ? "check why the metrics server has no usage of these pods: its log, and the kubelets that it scrapes"
          : fixOfEmpty(metric, readings, object.namespace),
      },
    ];
  });
}

/** The rule that a metric comes from: of several, the last one. */
export function ruleOf({ type, name }: Metric, readings: FactReadings): AdapterRule | undefined {
  return (valueOf(readings.adapterRules) ?? []).findLast(
    ({ path, metrics }) =>
      path.startsWith("externalRules") === (type === "External") && metrics.includes(name),
  );
}

function fixOfEmpty(metric: Metric, readings: FactReadings, namespace: string): string | undefined {
  const isExternal = metric.type === "External";
  const rule = ruleOf(metric, readings);
  if (rule?.lacksLabel === true)
    return `end metricsQuery of ${rule.path} with by (<<.GroupBy>>): its result lacks the object's label`;
  if (!isExternal) return undefined;
  return rule?.isNamespaced === false
    ? "correct the selector of the metric, or check whether its series are still scraped"
    : `set resources.namespaced: false in ${rule === undefined ? "the external rule" : rule.path} if the series are not of namespace ${namespace}; else correct the selector of the metric`;
}

/** A metrics server may not have seen younger pods. */
function isSettled(pod: Fields, nowMs: number): boolean {
  const sinceMs = readySinceMs(pod);
  return isReady(pod) && sinceMs !== undefined && nowMs - sinceMs >= thresholds.firstSampleMs;
}

function emptyBecause(
  metric: Metric,
  { samples, status }: MetricReading,
  pods: readonly string[],
): string | undefined {
  if ("error" in samples)
    return isNotFound({ samples, ...(status === undefined ? {} : { status }) }) ? samples.error : undefined;
  if ("values" in samples) return samples.values.length === 0 ? "no series" : undefined;
  if (!("pods" in samples) || pods.length === 0) return undefined;
  const seen = new Set(samples.pods.map(({ name }) => name));
  if (pods.some((pod) => seen.has(pod))) return undefined;
  const others = samples.pods.length === 0 ? "" : `; the samples are of ${printSome([...seen], 3)}`;
  return `no sample for any of ${counted(pods.length, "ready pod")}${others}`;
}

function labelsSeen({ name }: Metric, readings: FactReadings): readonly EvidenceItem[] {
  const rules = valueOf(readings.adapterRules) ?? [];
  return rules
    .filter(({ metrics, labels }) => metrics.includes(name) && labels.length > 0)
    .map(({ path, labels }) =>
      item(`series of ${path}`, `have the labels ${printSome(labels, 12)}`, "Prometheus"),
    );
}

export function ruleObject({ path }: AdapterRule): FindingObject {
  return { kind: "Rule", resource: "rules", namespace: "", name: path };
}

/** Rules may find thousands. */
const maxShadowed = 20;

function uselessRules({ facts }: ClusterContext<"adapterRules">): readonly Found[] {
  return facts.adapterRules.flatMap((rule): readonly Found[] => {
    const object = ruleObject(rule);
    const { path, seriesQuery, problem, metrics, shadowed } = rule;
    if (problem !== undefined)
      return [
        {
          object,
          title: "a rule of the adapter fails",
          evidence: [item(seriesQuery, problem, path)],
        },
      ];
    // Resource rules give no metrics of a name.
    if (metrics.length === 0 && !path.startsWith("resourceRules"))
      return [
        {
          object,
          title: "a rule of the adapter finds no series",
          evidence: [item(seriesQuery, "0 series", path)],
        },
      ];
    // A general rule before special ones is a usual order.
    if (shadowed.length === 0 || shadowed.length < metrics.length) return [];
    return [
      {
        object,
        title: "a later rule hides a rule of the adapter",
        evidence: shadowed
          .slice(0, maxShadowed)
          .map(({ metric, by }) => item(metric, `comes from ${by}`, path)),
        fix: "rename the metric with name.as, or remove one of the rules",
      },
    ];
  });
}

function rateRanges({ facts }: ClusterContext<"adapterRules">): readonly Found[] {
  return facts.adapterRules.flatMap((rule): readonly Found[] => {
    const { scrapeIntervalMs: intervalMs, rangesMs, path } = rule;
    const object = ruleObject(rule);
    const long = rangesMs.find((rangeMs) => rangeMs > thresholds.longRateRangeMs);
    if (long !== undefined) {
      const evidence = [item("range", ageText(long), `${path}.metricsQuery`)];
      return [{ object, title: "a query's range is so long that the metric reacts late", evidence }];
    }
    if (intervalMs === undefined) return [];
    const short = rangesMs.find((rangeMs) => rangeMs < intervalMs * thresholds.rateIntervals);
    if (short === undefined) return [];
    const good = ageText(intervalMs * thresholds.goodRateIntervals);
    return [
      {
        object,
        title: "a query's range is shorter than two scrape intervals",
        evidence: [
          item("range", ageText(short), `${path}.metricsQuery`),
          item("scraped every", ageText(intervalMs), "Prometheus"),
        ],
        fix: `use a range of ${good}, four scrape intervals: a rate needs at least two samples`,
      },
    ];
  });
}

export const servedRules: readonly Rule[] = [
  objectRule({
    id: "PL-021",
    severity: "error",
    title: "a metric is not served",
    condition:
      "The metrics API returns 404 for a metric and does not list it. Or the query of a WorkloadAutoscaler is refused, or another adapter answers for it.",
    fix: "add a rule for the metric, or correct its name; plimsoll rules query NAME shows which",
    isFromRecords: true,
    needs: ["samples"],
    uses: ["customMetrics", "externalMetrics"],
    applies: (object) => namedMetrics(object).length > 0,
    check: notServed,
  }),
  objectRule({
    id: "PL-022",
    severity: "error",
    title: "a metric exists, but has no sample for this object",
    condition: "The metrics API knows the metric and has no sample for the pods, the object or the selector.",
    fix: "give the series the workload's namespace and pod labels: honorLabels on the scrape, or resources.overrides in the rule",
    isFromRecords: true,
    needs: ["samples", "pods"],
    uses: ["customMetrics", "externalMetrics", "adapterRules"],
    check: withoutSamples,
  }),
  clusterRule({
    id: "PL-023",
    severity: "error",
    title: "a rule of the adapter adds no metric",
    condition:
      "A rule finds no series in Prometheus, fails, or only adds metrics that later rules also define.",
    fix: "list the existing series with plimsoll rules query",
    needs: ["adapterRules"],
    check: uselessRules,
  }),
  clusterRule({
    id: "PL-026",
    severity: "warn",
    title: "a query's range doesn't match the scrape interval",
    condition: "A range of the query is shorter than two scrape intervals, or longer than 10 minutes.",
    fix: "use a range of four scrape intervals",
    needs: ["adapterRules"],
    check: rateRanges,
  }),
];
