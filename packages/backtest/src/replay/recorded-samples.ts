// What the metrics APIs returned at an instant, from the values of a recording.
import { formatInstant, type MetricSamples, type MetricSpec, type Pod } from "@plimsoll/core";
import { approximateFloat, parseQuantity } from "@plimsoll/core/quantity";
import { lastAtOrBefore, milliText, nanoText } from "@plimsoll/simulator/parts";
import type { PodsAt } from "./recorded-pods.ts";
import type { RecordedMetric, RecordedSample, RecordedValue } from "./recording.ts";

/** A longer time without samples is not bridged. */
const maxBridgedMs = 300_000;
/** metrics-server usually measures so often. */
export const usualWindowMs = 15_000;

/** The samples of one metric over time. */
export type RecordedSamples = ReturnType<typeof createRecordedSamples>;

export function createRecordedSamples({ samples, gaps }: RecordedMetric) {
  const instants = samples.map(({ atMs }) => atMs);
  const usualMs = usualDistance(instants);
  const newest = (atMs: number): RecordedSample | undefined => samples[lastAtOrBefore(instants, atMs)];
  return {
    /** The newest that is not behind an instant; undefined where none is near. */
    at(atMs: number): RecordedSample | undefined {
      const sample = newest(atMs);
      const isNear = sample !== undefined && atMs - sample.atMs <= maxBridgedMs;
      return isNear ? sample : undefined;
    },
    /** There was none when there should have been. */
    isAbsent(atMs: number): boolean {
      const sample = newest(atMs);
      if (sample === undefined || sample.values.length === 0) return true;
      if (gaps.some(({ fromMs, toMs }) => fromMs <= atMs && atMs <= toMs)) return true;
      return atMs - sample.atMs > 2 * usualMs;
    },
    /** The instants of samples in a span, the newest first. */
    instants: (fromMs: number, toMs: number): readonly number[] => {
      const [first, last] = [lastAtOrBefore(instants, fromMs), lastAtOrBefore(instants, toMs)];
      return instants.slice(Math.max(0, first), last + 1).toReversed();
    },
  };
}

function usualDistance(instants: readonly number[]): number {
  const distances = instants.slice(1, 1000).map((atMs, at) => atMs - (instants[at] ?? 0));
  return distances.toSorted((a, b) => a - b)[distances.length >>> 1] ?? maxBridgedMs;
}

/** A change of values: so much more, or a multiple. */
export interface ValueChange {
  readonly plus?: number;
  readonly times?: number;
}

/** What is read: values say that they cover `windowMs` unless they say so themselves. */
export interface SampleReader {
  readonly spec: MetricSpec;
  readonly windowMs: number;
}

/** The samples of the pods that are there. */
export function seriesSamples(
  reader: SampleReader,
  { atMs, values }: RecordedSample,
  { pods, unsampled }: PodsAt,
  change?: ValueChange,
): MetricSamples {
  const { spec } = reader;
  const { plus = 0, times = 1 } = change ?? {};
  const changed =
    change === undefined ? values : values.map((one) => ({ ...one, value: one.value * times + plus }));
  if (spec.type === "External") return { values: changed.map(({ value }) => ({ value: milliText(value) })) };
  if (spec.type === "Object") {
    const [first] = changed;
    return first === undefined ? noSamples : { value: milliText(first.value) };
  }
  const there = new Set(pods.map(({ metadata }) => metadata?.name));
  for (const name of unsampled ?? []) there.delete(name);
  const ofPods = changed.filter(({ pod }) => there.has(pod));
  if (spec.type === "Pods")
    return { pods: ofPods.map(({ pod = "", value }) => ({ name: pod, value: milliText(value) })) };
  return { pods: ofPods.map((one) => resourceSample(reader, one, atMs)) };
}

/** What the API says where nothing is found. */
export const noSamples: MetricSamples = { error: "the recording has no sample of it" };

function resourceSample(reader: SampleReader, one: RecordedValue, atMs: number) {
  const { pod = "", value, measuredMs = atMs, windowMs = reader.windowMs } = one;
  const { resource, containerResource } = reader.spec;
  const name = (resource ?? containerResource)?.name ?? "";
  const text = name === "cpu" ? nanoText(value) : String(Math.round(value));
  return {
    name: pod,
    timestamp: formatInstant(measuredMs),
    windowSeconds: windowMs / 1000,
    containers: { [containerResource?.container ?? usualContainer]: { [name]: text } },
  };
}

/** Of all containers of a pod together. */
export const usualContainer = "all";

/** The samples by which a status has this value: pods that are Ready, and have a sample, have the average. */
export function statusSamples(
  reader: SampleReader,
  value: number,
  { pods, active, sampled }: PodsAt,
): MetricSamples {
  const { spec } = reader;
  const { target } =
    spec.resource ?? spec.containerResource ?? spec.pods ?? spec.object ?? spec.external ?? {};
  const isAverage = target?.type === "AverageValue";
  const total = milliText(isAverage ? value * active : value);
  if (spec.type === "Object") return { value: total };
  if (spec.type === "External") return { values: [{ value: total }] };
  if (spec.type === "Pods") {
    const each = milliText(value);
    return { pods: sampled.map((name) => ({ name, value: each })) };
  }
  const requested = sampled.map((name) => ({
    name,
    amount: requestOf(
      spec,
      pods.find((pod) => pod.metadata?.name === name),
    ),
  }));
  // Rounded once over all pods, so that the whole percent comes out again.
  let [sum, given] = [0, 0];
  const usages = requested.map(({ name, amount }) => {
    sum += target?.type === "Utilization" ? (amount * value) / 100 : value;
    const rounded = Math.ceil(sum * 1000 - 1e-6);
    const own = rounded - given;
    given = rounded;
    return { pod: name, value: own / 1000, measuredMs: Number.MAX_SAFE_INTEGER };
  });
  return { pods: usages.map((one) => ({ ...resourceSample(reader, { ...one, measuredMs: farMs }, 0) })) };
}

/** No sample is too early for its pod. */
const farMs = Date.UTC(2200, 0);

/** In cores or bytes. */
function requestOf(spec: MetricSpec, pod: Pod | undefined): number {
  const { resource, containerResource } = spec;
  const name = (resource ?? containerResource)?.name ?? "";
  const containers = pod?.spec?.containers ?? [];
  return containers
    .filter((container) => containerResource === undefined || container.name === containerResource.container)
    .reduce((sum, { resources }) => sum + amountOf(resources?.requests?.[name]), 0);
}

function amountOf(text: string | undefined): number {
  return text === undefined ? 0 : approximateFloat(parseQuantity(text));
}
