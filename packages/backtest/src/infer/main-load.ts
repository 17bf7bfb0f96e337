// The load out of the one metric that it is counted in.
import { usualWindowMs } from "../replay/recorded-samples.ts";
import type { Recording } from "../replay/recording.ts";
import { metricText, requestedOf } from "./metric-target.ts";
import { type Measuring, type Observation, observationsOf, observationsOfStatus } from "./observations.ts";
import type { InferOptions, KnownMetric } from "./options.ts";
import { withoutEdges } from "./outages.ts";
import { type Overhead, overheadOfChanges } from "./overhead.ts";
import { bucketOf, type InferredSeries, inferSeries } from "./series.ts";
import type { Serving } from "./serving.ts";
import { backlogLoad, recordedTotal, seriesOfTotal, totalSamples } from "./totals.ts";

/** The load, and how its metric is measured. */
export interface MainLoad {
  /** In its unit: requests per second of a metric of requests, cores of cpu. */
  readonly series: InferredSeries;
  readonly measuring: Measuring;
  /** What a pod has of the metric without load. */
  readonly idle: number;
  /** Of a load in cpu. */
  readonly overhead?: Overhead;
  /** The load if pods had the highest idle cpu; where that is unknown. */
  readonly seriesAtMaxIdle?: InferredSeries;
  /** Of a queue: what a pod takes out of it in a second. */
  readonly capacity?: number;
}

interface Source {
  readonly recording: Recording;
  readonly serving: Serving;
  readonly options: InferOptions;
}

const usualRateMs = 60_000;

/** Or why there is none. */
export function mainLoad(main: KnownMetric, source: Source): MainLoad | string {
  if (main.key.kind === "total") return totalLoad(main, source);
  const { recording, serving } = source;
  const measuring = measuringOf(main, source.options);
  const atMs = (main.metric.samples.length > 0 ? main.metric.samples : recording.status).map(
    (one) => one.atMs,
  );
  const inferred = (idle: number): InferredSeries | undefined => {
    const observations = observed(main, source, { ...measuring, idle });
    return inferSeries(observations, { serving, span: recording.span }, bucketOf(atMs, measuring.scrapeMs));
  };
  const series = inferred(0);
  if (series === undefined) return `${main.key.name} has no values of pods that were Ready: record its pods`;
  if (main.key.kind === "pods") return { series, measuring, idle: 0 };
  const overhead = overheadOfChanges(series, serving);
  const { idle = 0, max } = overhead;
  const own = idle === 0 ? series : (inferred(idle) ?? series);
  const atMax = overhead.idle === undefined && max > 0 ? inferred(max) : undefined;
  return {
    series: own,
    measuring,
    idle,
    overhead,
    ...(atMax === undefined ? {} : { seriesAtMaxIdle: atMax }),
  };
}

function observed(
  { key, metric }: KnownMetric,
  { recording, serving }: Source,
  measuring: Measuring,
): readonly Observation[] {
  if (metric.samples.length > 0) return observationsOf(metric, serving, measuring);
  // The status of cpu is in percent of what is requested; without requests, a pod has one core.
  const requested = requestedOf(recording.pods, "cpu", key.container) ?? 1;
  const factor = key.kind === "cpu" ? requested / 100 : 1;
  const status = withoutEdges(recording.status, measuring.windowMs);
  return observationsOfStatus(status, { index: key.index, factor }, measuring);
}

/** Cpu is measured at an instant that each value says, or by a query as other metrics are. */
export function measuringOf({ key, metric }: KnownMetric, { rateMs, scrapeMs }: InferOptions): Measuring {
  const { rangeMs, windowMs } = metric;
  if (key.kind === "pods" || key.kind === "total")
    return { windowMs: rateMs ?? rangeMs ?? usualRateMs, scrapeMs };
  const [own] = metric.samples.find(({ values }) => values.length > 0)?.values ?? [];
  if (own === undefined || own.measuredMs !== undefined)
    return { windowMs: own?.windowMs ?? windowMs ?? usualWindowMs, scrapeMs: 0 };
  return { windowMs: rateMs ?? rangeMs ?? windowMs ?? usualRateMs, scrapeMs };
}

function totalLoad({ key, metric }: KnownMetric, { recording, serving, options }: Source): MainLoad | string {
  const samples = totalSamples(metric);
  const model = options.loadModels?.[key.flagName] ?? "independent";
  const measuring = { windowMs: options.rateMs ?? usualRateMs, scrapeMs: options.scrapeMs };
  if (model !== "backlog") {
    const series = seriesOfTotal(recordedTotal(samples, model, serving), recording.span);
    return { series, measuring, idle: 0 };
  }
  const backlog = backlogLoad(samples, serving, recording.span);
  if (backlog === undefined)
    return `${metricText(key)} drains too rarely to infer what a pod processes: record a longer time, or set --load-model ${key.flagName}=independent`;
  return { ...backlog, measuring, idle: 0 };
}
