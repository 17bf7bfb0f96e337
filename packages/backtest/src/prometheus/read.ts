// Reads the history of an autoscaler out of a Prometheus.
import { createBuiltinMapper } from "@plimsoll/rules";
import type {
  RecordedMetric,
  RecordedPod,
  RecordedSpan,
  RecordedStep,
  Recording,
  StatusTriple,
} from "../replay/recording.ts";
import { absentError } from "./absent.ts";
import { syncsOf } from "./clock.ts";
import { checkWhole, gapsOf, usualDistance } from "./gaps.ts";
import { changesOf } from "./hpa-changes.ts";
import { hpaSelector, hpaSeriesOf, targetTracks } from "./hpa-series.ts";
import { statusOf } from "./hpa-status.ts";
import { type Manifest, type MetricFacts, readManifest } from "./manifest.ts";
import { givenQuery, ownQuery, rangeMsOf, readMetric, usageQuery } from "./metric-queries.ts";
import { type ListedRules, listRules, type MetricQuery, ruleQuery } from "./metric-rules.ts";
import { checkedSpan, defaultLimits, type HistoryOptions, type HistoryRead } from "./options.ts";
import { createRunner, daysOf, type Runner } from "./plan.ts";
import { deletionQuery, isSummary, readinessQuery, summaryQuery } from "./pod-queries.ts";
import { readinessOf } from "./pod-readiness.ts";
import { podsOf } from "./pods.ts";
import { resourceQuery } from "./resource-rules.ts";
import { joined, stepsOf, type Track } from "./track.ts";

const usualScrapeMs = 30_000;
const usualSyncMs = 15_000;

interface Reading {
  readonly options: HistoryOptions;
  readonly manifest: Manifest;
  readonly runner: Runner;
  readonly signal: AbortSignal;
  readonly span: RecordedSpan;
  readonly notes: string[];
}

/**
 * Reads a recording. Rejects with HistoryError, which says what to do, or with the signal's reason. One request is
 * made for each query and day.
 */
export async function readHistory(options: HistoryOptions): Promise<HistoryRead> {
  const { signal = new AbortController().signal, onProgress } = options;
  const manifest = readManifest(options.object);
  const { samples: maxSamples } = { ...defaultLimits, ...options.limits };
  const runner = createRunner({ signal, onProgress, maxSamples });
  const asked = checkedSpan(options);
  const notes: string[] = [];
  const reading = { options, manifest, runner, signal, span: asked, notes };
  const own = await readAutoscalerSeries(reading);
  const { span } = own;
  const pods = await readPods({ ...reading, span }, own);
  const { syncs, periodMs, why } = syncsOf({
    series: own.series,
    pods,
    scale: own.scale,
    span,
    syncPeriodMs: options.syncPeriodMs ?? usualSyncMs,
  });
  if (why !== undefined) notes.push(`the clock of the controller is unknown: ${why}`);
  const stepMs = Math.max(1, Math.round(periodMs));
  const metrics = await readMetrics({ ...reading, span }, { ...own, pods, instants: syncs.atMs, stepMs });
  const { target } = manifest;
  const autoscaler = { object: options.object, changes: own.changes };
  const recording: Recording = {
    version: 1,
    target,
    span,
    autoscaler,
    syncs,
    pods,
    scale: own.scale,
    metrics,
    status: own.status,
  };
  return { recording, notes, requests: runner.requests() };
}

async function readAutoscalerSeries({ options, manifest, runner, signal, span: asked, notes }: Reading) {
  const { client, selector = [], isPartial = false } = options;
  const promql = hpaSelector(manifest, selector);
  const tracks = await readRaw(
    { client, runner, signal },
    (part) => `${promql}[${lengthOf(part)}]`,
    daysOf(asked),
  );
  const series = hpaSeriesOf(manifest, tracks);
  if (series === undefined) throw await absentError(client, manifest, { span: asked, signal });
  const { status, lost } = statusOf(manifest, series);
  const atMs = status.map((one) => one.atMs);
  const scrapeMs = usualDistance(atMs, usualScrapeMs);
  const what = `its history in the series of ${series.source}`;
  const whole = checkWhole(what, atMs, { span: asked, usualMs: scrapeMs, isPartial });
  const { span, gaps } = whole;
  const { changes, notes: ofChanges } = changesOf(manifest, series, span);
  notes.push(...whole.notes, ...ofChanges);
  const scale = scaleOf(targetTracks(manifest, tracks), status);
  return { series, status, lost, scrapeMs, scrapes: atMs, span, gaps, changes, scale };
}

/** The count of the target; of kinds that have no series, what the status wants. */
function scaleOf(tracks: readonly Track[], status: readonly StatusTriple[]): readonly RecordedStep[] {
  const steps = stepsOf(tracks);
  if (steps.length > 0) return steps;
  const atMs = status.map((one) => one.atMs);
  const values = status.map(({ desiredReplicas }) => desiredReplicas);
  return stepsOf([{ labels: {}, atMs, values }]);
}

async function readPods(
  { options, manifest, runner, signal, span, notes }: Reading,
  { scrapeMs, scrapes }: { readonly scrapeMs: number; readonly scrapes: readonly number[] },
): Promise<readonly RecordedPod[]> {
  const { client, selector = [], graceMs } = options;
  const { target } = manifest;
  const { pods: maxPods } = { ...defaultLimits, ...options.limits };
  const raw = { client, runner, signal };
  const scope = { target, more: selector };
  const [summary, deletion] = await Promise.allSettled([
    readRaw(raw, (part) => summaryQuery(scope, part), daysOf(span)),
    readRaw(raw, (part) => deletionQuery(scope, part), daysOf(span)),
  ]);
  if (summary.status === "rejected") throw summary.reason;
  if (deletion.status === "rejected") throw deletion.reason;
  const deletions = deletion.value;
  const summaries = summary.value.filter(isSummary);
  const fixed = summary.value.filter((track) => !isSummary(track));
  const { tracks, parts } = readinessOf({ span, summaries, deletions, scrapes, scrapeMs });
  const namesAt = ({ fromMs }: RecordedSpan): readonly string[] =>
    parts.find((part) => part.fromMs <= fromMs && fromMs < part.toMs)?.names ?? [];
  const changing = await readRaw(raw, (part) => readinessQuery(scope, namesAt(part), part), parts);
  const all = [...fixed, ...deletions, ...tracks, ...changing];
  const pods = podsOf(all, { target, maxPods, scrapeMs, graceMs });
  if (pods.length === 0) {
    notes.push(
      "no series kube_pod_* for the target's pods: only level status is possible, without the controller's clock",
    );
  }
  return pods;
}

interface Raw {
  readonly client: HistoryOptions["client"];
  readonly runner: Runner;
  readonly signal: AbortSignal;
}

/** Samples with their own instants, a part of the span at a time. */
async function readRaw(
  { client, runner, signal }: Raw,
  promql: (part: RecordedSpan) => string,
  parts: readonly RecordedSpan[],
): Promise<readonly Track[]> {
  const request = (query: string, part: RecordedSpan) => client.query(query, { atMs: part.toMs, signal });
  return joined(await runner.run({ promql, request }, parts));
}

function lengthOf({ fromMs, toMs }: RecordedSpan): string {
  return `${toMs - fromMs}ms`;
}

interface Known {
  readonly pods: readonly RecordedPod[];
  readonly instants: readonly number[];
  readonly stepMs: number;
  readonly lost: ReadonlyMap<number, string>;
  readonly gaps: readonly RecordedSpan[];
}

async function readMetrics(reading: Reading, known: Known): Promise<readonly RecordedMetric[]> {
  const { options, manifest, signal, span, notes } = reading;
  const { client, rules, level = "series" } = options;
  const needsRules = manifest.metrics.some(
    ({ spec }) => spec.query === undefined && (spec.pods ?? spec.object ?? spec.external) !== undefined,
  );
  const listed =
    rules !== undefined && level === "series" && needsRules
      ? await listRules(client, rules, { span, signal })
      : undefined;
  for (const problem of listed?.catalog.rules ?? []) {
    if (problem.problem !== undefined)
      notes.push(`${problem.rule.path} cannot be listed: ${problem.problem}`);
  }
  const metrics: RecordedMetric[] = [];
  for (const facts of manifest.metrics) metrics.push(await readOne(reading, known, { facts, listed }));
  return metrics;
}

interface OneMetric {
  readonly facts: MetricFacts;
  readonly listed: ListedRules | undefined;
}

async function readOne(reading: Reading, known: Known, one: OneMetric): Promise<RecordedMetric> {
  const { options, runner, signal, span, notes } = reading;
  const { index, name } = one.facts;
  const { pods, instants, stepMs, lost, gaps } = known;
  const query = await queryOf(reading, one);
  let why = query.ok ? "" : query.why;
  if (query.ok) {
    const samples = await readMetric(query, {
      client: options.client,
      runner,
      signal,
      pods,
      span,
      instants,
      stepMs,
    });
    if (samples.length > 0) {
      const own = gapsOf(
        samples.map(({ atMs }) => atMs),
        span,
        stepMs,
      );
      const rangeMs = rangeMsOf(query.promql([]));
      const { windowMs } = query;
      const measured = {
        ...(rangeMs === undefined ? {} : { rangeMs }),
        ...(windowMs === undefined ? {} : { windowMs }),
      };
      return { index, level: "series", ...measured, samples, gaps: own };
    }
    why = `its query returned nothing: ${query.promql([])}`;
  }
  const lostWhy = lost.get(index);
  const level = lostWhy === undefined ? "status" : "none";
  const reasons = [why, lostWhy ?? ""].filter((reason) => reason !== "");
  notes.push(`spec.metrics[${index}] (${name}) has level ${level}: ${reasons.join("; ")}`);
  return { index, level, samples: [], gaps };
}

async function queryOf({ options, manifest }: Reading, { facts, listed }: OneMetric): Promise<MetricQuery> {
  const { queries = {}, level = "series", rules } = options;
  const given = Object.hasOwn(queries, facts.name) ? queries[facts.name] : undefined;
  if (given !== undefined) return givenQuery(given, facts);
  if (level === "status") return { ok: false, why: "metrics were not requested" };
  if (facts.spec.query !== undefined) return await ownQuery(facts.spec.query, manifest.namespace);
  if ((facts.spec.resource ?? facts.spec.containerResource) !== undefined)
    return rules?.resource === undefined
      ? usageQuery(facts, manifest.namespace, options.selector)
      : await resourceQuery(rules.resource, createBuiltinMapper(rules), {
          facts,
          namespace: manifest.namespace,
        });
  if (listed === undefined)
    return { ok: false, why: `its query is unknown: set --rules, or --query ${facts.name}=PROMQL` };
  return await ruleQuery(listed, facts, manifest.namespace);
}
