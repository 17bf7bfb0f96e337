// Where the load of a recording is a lower bound: pods could not serve what came, and nothing says how much that was.
import type { HpaSpec } from "@plimsoll/core";
import { approximateFloat, parseQuantity } from "@plimsoll/core/quantity";
import type { Autoscaler } from "@plimsoll/simulator";
import { lastAtOrBefore } from "@plimsoll/simulator/parts";
import { createRecordedSpecs } from "../replay/recorded-specs.ts";
import type { RecordedPod, RecordedSpan, Recording } from "../replay/recording.ts";
import type { InferredLoad } from "./load.ts";
import { perPodTarget, requestedOf } from "./metric-target.ts";
import type { InferredSeries } from "./series.ts";

/** Spans in which the load may have been higher. */
export interface CensoredLoad {
  readonly kind: "at-max" | "pending";
  readonly spans: readonly RecordedSpan[];
}

const usualTolerance = 0.1;
/** A pod that has no node for so long waits for one. */
const pendingMs = 60_000;

/** At maxReplicas above the tolerance, and while pods are Pending. */
export function censoredLoad(
  recording: Recording,
  inferred: InferredLoad,
  autoscaler: Autoscaler,
): readonly CensoredLoad[] {
  const found: readonly CensoredLoad[] = [
    { kind: "at-max", spans: atMaxSpans(recording, inferred, autoscaler) },
    { kind: "pending", spans: recording.pods.flatMap((pod) => pendingSpan(pod, recording.span)) },
  ];
  return found.filter(({ spans }) => spans.length > 0);
}

/** The load with so much more of it where it is a lower bound. */
export function withMoreLoad(
  series: InferredSeries,
  censored: readonly CensoredLoad[],
  factor: number,
): InferredSeries {
  const perSecond = Float64Array.from(series.perSecond);
  const more = new Set<number>();
  for (const { fromMs, toMs } of censored.flatMap(({ spans }) => spans)) {
    const [first, last] = [fromMs, toMs - 1].map((ms) => Math.floor((ms - series.fromMs) / series.bucketMs));
    for (let at = Math.max(0, first ?? 0); at <= Math.min(perSecond.length - 1, last ?? -1); at++)
      more.add(at);
  }
  for (const at of more) perSecond[at] = (perSecond[at] ?? 0) * factor;
  return { ...series, perSecond };
}

/** Part of a span that lies in others, which may overlap. */
export function sharePart(spans: readonly RecordedSpan[], { fromMs, toMs }: RecordedSpan): number {
  let [covered, untilMs] = [0, fromMs];
  for (const one of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const [begin, end] = [Math.max(one.fromMs, untilMs), Math.min(one.toMs, toMs)];
    if (end <= begin) continue;
    covered += end - begin;
    untilMs = end;
  }
  return covered / (toMs - fromMs);
}

function atMaxSpans(
  recording: Recording,
  { series, serving, metric }: InferredLoad,
  autoscaler: Autoscaler,
): readonly RecordedSpan[] {
  const { pods, scale, span } = recording;
  const specs = createRecordedSpecs(autoscaler, recording.autoscaler.changes);
  const instants = scale.map(({ atMs }) => atMs);
  const requested = requestedOf(pods, "cpu", metric.container);
  const spans: RecordedSpan[] = [];
  for (const [bucket, load] of series.perSecond.entries()) {
    const fromMs = series.fromMs + bucket * series.bucketMs;
    if (fromMs < span.fromMs || fromMs >= span.toMs) continue;
    const { spec } = specs.read(specs.versionAt(fromMs), fromMs);
    const count = scale[lastAtOrBefore(instants, fromMs)]?.value;
    if (count === undefined || count < spec.maxReplicas) continue;
    const wanted = spec.metrics?.[metric.index];
    const target = wanted === undefined ? undefined : perPodTarget(wanted, requested);
    if (load > (target ?? 0) * (1 + toleranceOf(spec, autoscaler)) * serving.at(fromMs))
      spans.push({ fromMs, toMs: fromMs + series.bucketMs });
  }
  return spans;
}

function toleranceOf({ behavior }: HpaSpec, { options }: Autoscaler): number {
  const own = behavior?.scaleUp?.tolerance;
  return own === undefined ? (options?.tolerance ?? usualTolerance) : approximateFloat(parseQuantity(own));
}

function pendingSpan(
  { createdMs, startedMs, ready, deletedMs }: RecordedPod,
  { toMs }: RecordedSpan,
): readonly RecordedSpan[] {
  const untilMs = Math.min(startedMs ?? ready[0]?.fromMs ?? toMs, deletedMs ?? toMs);
  return untilMs - createdMs > pendingMs ? [{ fromMs: createdMs, toMs: untilMs }] : [];
}
