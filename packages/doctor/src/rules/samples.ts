// Rules about the samples of metrics: missing, old, no numbers.
import { instantMs, type MetricSamples } from "@plimsoll/core";
import { ageText, counted, type Fields, fieldsOf } from "@plimsoll/core/internal/values";
import { type Autoscaler, keyOf, type Metric } from "../evidence/autoscaler.ts";
import type { MetricReading } from "../evidence/facts.ts";
import { at, listOf } from "../evidence/fields.ts";
import { nameOf } from "../evidence/meta.ts";
import type { PastDecision } from "../evidence/past-decision.ts";
import { isReady, readySinceMs } from "../evidence/pods.ts";
import { valueOf } from "../evidence/reading.ts";
import {
  checkPart,
  type Found,
  item,
  type ObjectContext,
  type Outcome,
  objectRule,
  type Rule,
} from "../rule.ts";
import { amountOf, printShare } from "../text/amount.ts";
import { printSome } from "../text/lists.ts";
import { thresholds } from "../thresholds.ts";

function missingSamples({
  object,
  facts,
  readings,
  nowMs,
}: ObjectContext<"samples" | "pods">): readonly Found[] {
  const waitMs = Math.max(thresholds.firstSampleMs, thresholds.missingPeriods * thresholds.syncPeriodMs);
  const pods = facts.pods.filter((pod) => isReady(pod) && nowMs - (readySinceMs(pod) ?? nowMs) >= waitMs);
  const history = valueOf(readings.history)?.slice(-thresholds.missingPeriods) ?? [];
  return object.metrics.flatMap((metric): readonly Found[] => {
    const samples = facts.samples[metric.index]?.samples;
    if (samples === undefined || !("pods" in samples)) return [];
    const seen = new Set(samples.pods.map(({ name }) => name));
    const missing = pods.map(nameOf).filter((name) => !seen.has(name) && wasMissing(history, metric, name));
    // Without any sample it is another rule's business.
    if (missing.length === pods.length || missing.length <= pods.length * thresholds.missingSamples)
      return [];
    const value = `has no sample of ${missing.length} of ${counted(pods.length, "ready pod")}: ${printSome(missing, 3)}`;
    return [
      {
        title: `${printShare(missing.length / pods.length)} of the ready pods have no sample of ${metric.name}`,
        evidence: [item(metric.name, value, metricField(object, metric))],
      },
    ];
  });
}

/** In every decision that is known; without one the present samples say it. */
function wasMissing(history: readonly PastDecision[], { index }: Metric, pod: string): boolean {
  return history.every(
    ({ metrics }) => metrics.find((metric) => metric.index === index)?.missing.includes(pod) !== false,
  );
}

function metricField({ kind, namespace, name }: Autoscaler, { index }: Metric): string {
  return `${kind} ${namespace}/${name} .spec.metrics[${index}]`;
}

interface Timed {
  readonly timestamp?: unknown;
  readonly windowSeconds?: number | undefined;
}

function timedSamples(samples: MetricSamples): readonly Timed[] {
  if ("pods" in samples) return samples.pods;
  if ("values" in samples) return samples.values;
  return "error" in samples ? [] : [samples];
}

function oldSamples(context: ObjectContext<"samples">): readonly Outcome[] {
  const { object, facts, nowMs, readings } = context;
  const old = object.metrics.flatMap((metric): readonly Found[] => {
    const found = oldest(facts.samples[metric.index]);
    if (found === undefined) return [];
    const periodMs = Math.max(found.windowMs, thresholds.metricPeriodMs);
    const ageMs = nowMs - found.atMs;
    if (ageMs <= periodMs * thresholds.stalePeriods) return [];
    return [
      {
        title: `the newest sample of ${metric.name} is ${ageText(ageMs)} old`,
        evidence: [item(metric.name, `is ${ageText(ageMs)} old`, metricField(object, metric))],
      },
    ];
  });
  if (old.length > 0) return old;
  return checkPart(readings.history, (history) => unchangedMetrics(object, history));
}

/** The newest sample of a metric: if that is old, all are. */
function oldest(
  reading: MetricReading | undefined,
): { readonly atMs: number; readonly windowMs: number } | undefined {
  if (reading === undefined) return undefined;
  const times = timedSamples(reading.samples).flatMap(({ timestamp, windowSeconds }) => {
    const atMs = instantMs(timestamp);
    return atMs === undefined ? [] : [{ atMs, windowMs: (windowSeconds ?? 0) * 1000 }];
  });
  return times.toSorted((a, b) => b.atMs - a.atMs)[0];
}

function unchangedMetrics(object: Autoscaler, history: readonly PastDecision[]): readonly Outcome[] {
  const [first, last] = [history[0], history.at(-1)];
  if (first === undefined || last === undefined) return [];
  const spanMs = last.atMs - first.atMs;
  if (spanMs < thresholds.unchangedMs)
    return [{ skipped: `decisions of less than ${ageText(thresholds.unchangedMs)} are kept` }];
  if (new Set(history.map(({ current }) => current)).size < 2) return [];
  return object.metrics.flatMap((metric): readonly Found[] => {
    const totals = history.map(({ metrics }) => metrics.find(({ index }) => index === metric.index)?.total);
    const [total] = totals;
    if (total === undefined || total === 0 || totals.some((other) => other !== total)) return [];
    return [
      {
        title: `${metric.name} has not changed for ${ageText(spanMs)}, while the pods have`,
        evidence: [item(metric.name, `is ${total} in ${counted(totals.length, "decision")}`, "decisions")],
      },
    ];
  });
}

/** What int64 makes of a NaN, and upstream of an average over no replicas. */
const overflown = "-9223372036854775808m";
const notNumber = /\b(NaN|[+-]?Inf(inity)?)\b/;

/** Upstream divides by the pods that there are, which may still be none when replicas are wanted. */
function hasNoPods({ object, readings: { scale } }: ObjectContext<"samples">): boolean {
  return object.currentReplicas === 0 || (scale.ok && scale.value.found && scale.value.statusReplicas === 0);
}

function unusableSamples(context: ObjectContext<"samples">): readonly Found[] {
  const { object, facts } = context;
  return object.metrics.flatMap((metric): readonly Found[] => {
    const reading = facts.samples[metric.index];
    const inStatus = statusValues(object, metric).filter(
      (value) => (amountOf(value) ?? 0) < 0 && (value !== overflown || !hasNoPods(context)),
    );
    const sampled = reading === undefined ? [] : unusableOf(reading);
    if (inStatus.length + sampled.length === 0) return [];
    return [
      {
        title: `${metric.name} has unusable values`,
        evidence: [
          ...(sampled.length === 0 ? [] : [item("sampled", printSome(sampled), metricField(object, metric))]),
          ...(inStatus.length === 0
            ? []
            : [
                item(
                  "in the status",
                  printSome(inStatus),
                  `${object.kind} ${keyOf(object)} .status.currentMetrics`,
                ),
              ]),
        ],
      },
    ];
  });
}

function unusableOf({ samples, unusable = [] }: MetricReading): readonly string[] {
  const inError = "error" in samples ? (notNumber.exec(samples.error)?.[0] ?? "") : "";
  const negative = valuesOf(samples).filter((value) => (amountOf(value) ?? 0) < 0);
  return [...new Set([...unusable, ...(inError === "" ? [] : [inError]), ...negative])];
}

function valuesOf(samples: MetricSamples): readonly string[] {
  if ("values" in samples) return samples.values.map(({ value }) => value);
  if ("pods" in samples) return samples.pods.flatMap((sample) => ("value" in sample ? [sample.value] : []));
  return "error" in samples ? [] : [samples.value];
}

function statusValues({ raw }: Autoscaler, { index }: Metric): readonly string[] {
  const entry: Fields = listOf(at(raw, "status", "currentMetrics"))[index] ?? {};
  return Object.values(entry).flatMap((source) =>
    Object.values(fieldsOf(at(source, "current"))).filter((value) => typeof value === "string"),
  );
}

export const sampleRules: readonly Rule[] = [
  objectRule({
    id: "PL-024",
    severity: "warn",
    title: "many ready pods have no sample",
    condition:
      "More than 20 % of the pods that have been ready for three periods have no sample of a metric.",
    fix: "check why they aren't scraped, or are ready too early; pods without a sample limit the change",
    isFromRecords: true,
    needs: ["samples", "pods"],
    uses: ["history"],
    applies: ({ metrics }) => metrics.some(({ type }) => type !== "External" && type !== "Object"),
    check: missingSamples,
  }),
  objectRule({
    id: "PL-025",
    severity: "warn",
    title: "the samples of a metric are old",
    condition:
      "The newest sample is older than two periods. Or the value did not change for 10 minutes, and the number of pods did.",
    fix: "scrape more often, or shorten what keeps samples (a cache, a push gateway)",
    isFromRecords: true,
    needs: ["samples"],
    uses: ["history"],
    check: oldSamples,
  }),
  objectRule({
    id: "PL-027",
    severity: "warn",
    title: "a metric has unusable values",
    condition:
      "A sample is NaN, infinite, or negative. Or the status shows a negative value such as -9223372036854775808m, which means nothing at 0 replicas.",
    fix: "make the query return a number: clamp_min(…, 0) against negative values, `or vector(0)` only if no series means zero",
    isFromRecords: true,
    needs: ["samples"],
    uses: ["scale"],
    check: unusableSamples,
  }),
];
