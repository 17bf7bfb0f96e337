// The load behind a recording, and what else a counterfactual needs to know of it.
import type { Autoscaler } from "../loop/scenario.ts";
import { metricsOf } from "../loop/sync.ts";
import type { RecordedMetric, RecordedSpan, Recording } from "../replay/recording.ts";
import { type MetricKey, metricKey, metricText } from "./metric-target.ts";
import type { Measuring } from "./observations.ts";
import { fitResidualNoise, type ResidualNoise } from "./residual-noise.ts";
import { type InferredSeries, inferSeries } from "./series.ts";
import { createServing, type Serving } from "./serving.ts";
import { startUpsOf } from "./startup.ts";

/** How the recording's metrics were measured; it does not say so itself. */
export interface InferOptions {
  /** That of the recording. */
  readonly autoscaler: Autoscaler;
  readonly scrapeMs: number;
  /** Over how long a Pods metric is a rate. */
  readonly rateMs: number;
}

/** What the pods of a recording had to do. */
export interface InferredLoad {
  /** The metric that it is counted in; its position in spec.metrics. */
  readonly metric: MetricKey & { readonly index: number };
  /** In its unit: requests per second of a metric of requests, cores of cpu. */
  readonly series: InferredSeries;
  readonly measuring: Measuring;
  readonly serving: Serving;
  /** Undefined where none is seen. */
  readonly noise: ResidualNoise | undefined;
  /** From created to Ready, of each pod that was created in the recording. */
  readonly startUpsMs: readonly number[];
  /** Of the span, without samples: a part that is bridged, and one that is left out. */
  readonly bridgedShare: number;
  readonly leftOutShare: number;
}

/** The load, or why it cannot be known. */
export type InferredLoadRead =
  | { readonly ok: true; readonly load: InferredLoad }
  | { readonly ok: false; readonly message: string };

/** More than this left out is no recording to simulate. */
const maxLeftOut = 0.1;
const usualMeasuredMs = 15_000;

/** From the first metric of pods that has values: a Pods metric before cpu. */
export function inferLoad(recording: Recording, options: InferOptions): InferredLoadRead {
  const keys = metricsOf(options.autoscaler).map((spec, index) => ({ ...metricKey(spec), index }));
  const known = keys.flatMap((key) => {
    const metric = recording.metrics.find(({ index }) => index === key.index);
    return metric !== undefined && metric.samples.length > 0 ? [{ key, metric }] : [];
  });
  const main = known.find(({ key }) => key.kind === "pods") ?? known.find(({ key }) => key.kind === "cpu");
  if (main === undefined) return { ok: false, message: withoutLoad(keys) };
  const serving = createServing(recording.pods);
  if (serving.instants.length === 0) {
    return { ok: false, message: "the recording has no pods: record it with kube-state-metrics" };
  }
  const measuring = measuringOf(main.key, main.metric, options);
  const series = inferSeries(main.metric, { serving, span: recording.span }, measuring);
  if (series === undefined) return { ok: false, message: withoutLoad(keys) };
  const leftOutShare = shareOf(series.leftOut, recording.span);
  if (leftOutShare > maxLeftOut) {
    const percent = Math.round(100 * leftOutShare);
    return {
      ok: false,
      message: `${metricText(main.key)} has no samples in ${percent} % of the time: record a span without gaps, of which 10 % are left out`,
    };
  }
  return {
    ok: true,
    load: {
      metric: main.key,
      series,
      measuring,
      serving,
      noise: fitResidualNoise(series),
      startUpsMs: startUpsOf(recording.pods, recording.span),
      bridgedShare: shareOf(series.bridged, recording.span),
      leftOutShare,
    },
  };
}

function withoutLoad(keys: readonly MetricKey[]): string {
  const names = keys.map(metricText).join(", ");
  return `no load is known from ${names}: a Pods metric or cpu with the values of its pods is needed`;
}

function measuringOf({ kind }: MetricKey, metric: RecordedMetric, options: InferOptions): Measuring {
  if (kind === "pods") return { windowMs: options.rateMs, scrapeMs: options.scrapeMs };
  const [own] = metric.samples.flatMap(({ values }) => values.flatMap(({ windowMs }) => windowMs ?? []));
  return { windowMs: own ?? usualMeasuredMs, scrapeMs: 0 };
}

function shareOf(spans: readonly RecordedSpan[], { fromMs, toMs }: RecordedSpan): number {
  const inside = spans.map((one) => Math.min(one.toMs, toMs) - Math.max(one.fromMs, fromMs));
  return inside.reduce((sum, ms) => sum + Math.max(0, ms), 0) / (toMs - fromMs);
}
