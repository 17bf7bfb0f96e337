// The load behind a recording, and what else a counterfactual needs to know of it.
import type { ResourceQuery } from "@plimsoll/simulator";
import { metricsOf, type RecordedTotal } from "@plimsoll/simulator/parts";
import type { RecordedMetric, RecordedSpan, Recording } from "../replay/recording.ts";
import { type MainLoad, mainLoad, measuringOf } from "./main-load.ts";
import { flagName, type MetricKey, metricKey, metricText } from "./metric-target.ts";
import type { InferOptions, KnownMetric } from "./options.ts";
import { withoutOutages } from "./outages.ts";
import { type CpuOfLoad, cpuOfLoad } from "./overhead.ts";
import { fitResidualNoise, type ResidualNoise } from "./residual-noise.ts";
import { createServing, podsOfCount, type Serving } from "./serving.ts";
import { startUpsOf } from "./startup.ts";
import { recordedTotal, totalSamples } from "./totals.ts";

/** What the pods of a recording had to do. */
export interface InferredLoad extends MainLoad {
  /** The metric that it is counted in; its position in spec.metrics. */
  readonly metric: KnownMetric["key"];
  readonly serving: Serving;
  /** Undefined where none is seen. */
  readonly noise: ResidualNoise | undefined;
  /** From created to Ready, of each pod that was created in the recording. */
  readonly startUpsMs: readonly number[];
  /** Of the span, without samples: a part that is bridged, and one that is left out. */
  readonly bridgedShare: number;
  readonly leftOutShare: number;
  /** Cpu beside another load. */
  readonly cpu?: CpuOfLoad;
  /** Where cpu comes from the metrics adapter. */
  readonly resourceQuery?: ResourceQuery;
  /** Object and External metrics, by name. */
  readonly totals: Readonly<Record<string, RecordedTotal>>;
  /** What a specification can scale on. */
  readonly known: readonly MetricKey[];
}

/** The load, or why it cannot be known. */
export type InferredLoadRead =
  | { readonly ok: true; readonly load: InferredLoad }
  | { readonly ok: false; readonly message: string };

/** How far a query looks back for two scrapes. */
export const lookbackMs = 300_000;
/** More than this left out is not a recording to simulate. */
const maxLeftOut = 0.1;

/** From a Pods metric, or cpu, or an Object or External metric whose model is given: in this order. */
export function inferLoad(recording: Recording, options: InferOptions): InferredLoadRead {
  const keys = metricsOf(options.autoscaler).map((spec, index) => ({
    ...metricKey(spec),
    index,
    flagName: flagName(spec),
  }));
  const known = keys.flatMap((key): readonly KnownMetric[] => {
    const metric = recording.metrics.find(({ index }) => index === key.index);
    if (metric === undefined || !hasValues(metric, recording)) return [];
    return [{ key, metric: withoutOutages(metric, recording, measuringOf({ key, metric }, options)) }];
  });
  const main = chosen(known, options);
  if (main === undefined) return { ok: false, message: withoutLoad(keys) };
  if (recording.pods.length === 0 && main.key.kind !== "total")
    return { ok: false, message: "the recording has no pods: record it with kube-state-metrics" };
  const { pods, scale, span } = recording;
  const serving = createServing(pods.length === 0 ? podsOfCount(scale, span) : pods);
  const read = mainLoad(main, { recording, serving, options });
  if (typeof read === "string") return { ok: false, message: read };
  if (!read.series.perSecond.every(Number.isFinite)) {
    const message = `${metricText(main.key)} has values whose sum is too large: check its query`;
    return { ok: false, message };
  }
  const leftOutShare = shareOf(read.series.leftOut, span);
  if (leftOutShare > maxLeftOut) {
    const percent = Math.round(100 * leftOutShare);
    return {
      ok: false,
      message: `${metricText(main.key)} has no samples for ${percent} % of the time, and at most 10 % can be missing: record a time without gaps`,
    };
  }
  return {
    ok: true,
    load: {
      ...read,
      ...othersOf(known, main, { read, serving, options }),
      metric: main.key,
      serving,
      noise: main.key.kind === "total" ? undefined : fitResidualNoise(read.series),
      startUpsMs: startUpsOf(pods, span),
      bridgedShare: shareOf(read.series.bridged, span),
      leftOutShare,
    },
  };
}

function hasValues({ samples, level, index }: RecordedMetric, { status }: Recording): boolean {
  return (
    samples.length > 0 || (level === "status" && status.some(({ values }) => values[index] !== undefined))
  );
}

function chosen(known: readonly KnownMetric[], { loadModels = {} }: InferOptions): KnownMetric | undefined {
  return (
    known.find(({ key }) => key.kind === "pods") ??
    known.find(({ key }) => key.kind === "cpu") ??
    known.find(
      ({ key, metric }) =>
        isTotal(key) && loadModels[key.flagName] !== undefined && metric.samples.length > 0,
    )
  );
}

function isTotal({ kind }: MetricKey): boolean {
  return kind === "total";
}

/** What else is known on the same load. */
function othersOf(
  known: readonly KnownMetric[],
  main: KnownMetric,
  from: { readonly read: MainLoad; readonly serving: Serving; readonly options: InferOptions },
): Pick<InferredLoad, "cpu" | "resourceQuery" | "totals" | "known"> {
  const { read, serving, options } = from;
  const others = known.filter((one) => one !== main && one.metric.samples.length > 0);
  const ofCpu = main.key.kind === "pods" ? others.find(({ key }) => key.kind === "cpu") : undefined;
  const cpu =
    ofCpu === undefined
      ? undefined
      : cpuOfLoad(ofCpu.metric, read.series, { serving, measuring: measuringOf(ofCpu, options) });
  const totals: Record<string, RecordedTotal> = {};
  const keys: MetricKey[] = [main.key];
  if (ofCpu !== undefined && cpu !== undefined) keys.push(ofCpu.key);
  for (const { key, metric } of known.filter((one) => isTotal(one.key))) {
    const model = options.loadModels?.[key.flagName];
    if (model === undefined || model === "backlog") continue;
    totals[key.name] = recordedTotal(totalSamples(metric), model, serving);
    if (key !== main.key) keys.push(key);
  }
  const resourceQuery = resourceQueryOf(ofCpu ?? main, options);
  return {
    totals,
    known: keys,
    ...(cpu === undefined ? {} : { cpu }),
    ...(resourceQuery === undefined ? {} : { resourceQuery }),
  };
}

/** Undefined where metrics-server measures. */
function resourceQueryOf(known: KnownMetric, options: InferOptions): ResourceQuery | undefined {
  const { windowMs } = known.metric;
  const { windowMs: rangeMs, scrapeMs } = measuringOf(known, options);
  if (known.key.kind !== "cpu" || windowMs === undefined || scrapeMs === 0) return undefined;
  return { query: rangeMs === 0 ? "irate" : "rate", rangeMs: rangeMs === 0 ? lookbackMs : rangeMs, windowMs };
}

function withoutLoad(keys: readonly KnownMetric["key"][]): string {
  const names = keys.map(metricText).join(", ");
  const total = keys.find(isTotal);
  const remedy =
    total === undefined
      ? "a Pods metric, or cpu with values per pod, is required"
      : `set how it depends on the pods with --load-model ${total.flagName}=independent, conserved, or backlog`;
  return `the load can't be inferred from ${names}: ${remedy}`;
}

function shareOf(spans: readonly RecordedSpan[], { fromMs, toMs }: RecordedSpan): number {
  const inside = spans.map((one) => Math.min(one.toMs, toMs) - Math.max(one.fromMs, fromMs));
  return inside.reduce((sum, ms) => sum + Math.max(0, ms), 0) / (toMs - fromMs);
}
