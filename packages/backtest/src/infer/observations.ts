// What the recorded values of a metric say of its sum over all pods: means over spans of time.
import type {
  RecordedMetric,
  RecordedSample,
  RecordedSpan,
  RecordedValue,
  StatusTriple,
} from "../replay/recording.ts";
import type { Serving } from "./serving.ts";

/** A value per pod: the mean over some spans, of each of which every pod had its share. */
export interface Observation {
  readonly spans: readonly RecordedSpan[];
  readonly perPod: number;
  /** Of the pods that a sample has, so many: 0–1. */
  readonly by: number;
}

/** How the values of a metric came to be. */
export interface Measuring {
  /** Over how long a value is a mean, where the value does not say so; 0: between two scrapes. */
  readonly windowMs: number;
  /** Between two scrapes; 0: the window is known to the millisecond. */
  readonly scrapeMs: number;
  /** What a pod has of it without load: it is not a part of the load. */
  readonly idle?: number;
}

/** Scrapes are not at the same instant for all pods: a rate over a window is the mean over so many places of it. */
const phases = 5;
/** Less of a span says too little of it. */
const minCovered = 0.5;

/** Of averages over all pods: the values of statuses, times a factor. */
export function observationsOfStatus(
  status: readonly StatusTriple[],
  { index, factor }: { readonly index: number; readonly factor: number },
  measuring: Measuring,
): readonly Observation[] {
  return status.flatMap(({ atMs, values }) => {
    const value = values[index];
    if (value === undefined) return [];
    return [{ spans: spansOf({ value }, atMs, measuring), perPod: value * factor, by: 1 }];
  });
}

/** In the order of the samples. */
export function observationsOf(
  { samples }: Pick<RecordedMetric, "samples">,
  serving: Serving,
  measuring: Measuring,
): readonly Observation[] {
  return samples.flatMap((sample) => observationsIn(sample, serving, measuring));
}

function observationsIn(
  { atMs, values }: RecordedSample,
  serving: Serving,
  measuring: Measuring,
): readonly Observation[] {
  const groups = new Map<number, { readonly spans: readonly RecordedSpan[]; sum: number; pods: number }>();
  const partly: Observation[] = [];
  const { idle = 0 } = measuring;
  let whole = 0;
  for (const value of values) {
    if (value.pod === undefined) continue;
    const spans = spansOf(value, atMs, measuring);
    const covered = coveredSpans(spans, serving.spansOf(value.pod));
    const part = lengthOf(covered) / lengthOf(spans);
    if (part >= 1) {
      whole++;
      const key = value.measuredMs ?? atMs;
      const group = groups.get(key) ?? { spans, sum: 0, pods: 0 };
      group.sum += value.value;
      group.pods++;
      groups.set(key, group);
    } else if (part >= minCovered) {
      partly.push({ spans: covered, perPod: value.value / part - idle, by: 1 });
    }
  }
  if (whole === 0) return partly.map((one) => ({ ...one, by: 1 / partly.length }));
  return [...groups.values()].map(({ spans, sum, pods }) => ({
    spans,
    perPod: sum / pods - idle,
    by: pods / whole,
  }));
}

/** The time of which a value is the mean. */
function spansOf(
  { measuredMs, windowMs }: RecordedValue,
  atMs: number,
  measuring: Measuring,
): readonly RecordedSpan[] {
  const lengthMs = windowMs ?? measuring.windowMs;
  if (measuredMs !== undefined || measuring.scrapeMs === 0) {
    const toMs = measuredMs ?? atMs;
    return [{ fromMs: toMs - lengthMs, toMs }];
  }
  // From the first scrape in the window until the last.
  const sampledMs = Math.max(measuring.scrapeMs, lengthMs - measuring.scrapeMs);
  return Array.from({ length: phases }, (_, phase) => {
    const toMs = atMs - ((phase + 0.5) / phases) * measuring.scrapeMs;
    return { fromMs: toMs - sampledMs, toMs };
  });
}

function coveredSpans(
  spans: readonly RecordedSpan[],
  by: readonly { readonly fromMs: number; readonly toMs?: number }[],
): readonly RecordedSpan[] {
  const covered: RecordedSpan[] = [];
  for (const span of spans) {
    for (const { fromMs, toMs = Infinity } of by) {
      const one = { fromMs: Math.max(span.fromMs, fromMs), toMs: Math.min(span.toMs, toMs) };
      if (one.toMs > one.fromMs) covered.push(one);
    }
  }
  return covered;
}

function lengthOf(spans: readonly RecordedSpan[]): number {
  return spans.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
}
