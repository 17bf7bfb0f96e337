// The counterfactual of a recording: a control run with its own specification, and what others would have done.
import type { Autoscaler, Load, Scenario, SimulatedRun } from "@plimsoll/simulator";
import { replayInstants } from "../replay/recorded-clock.ts";
import type { RecordedSpan, Recording } from "../replay/recording.ts";
import { type CensoredLoad, censoredLoad, withMoreLoad } from "./censoring.ts";
import {
  figuresOf,
  freshScenario,
  type LoopClock,
  type LoopFigures,
  type LoopRequest,
  runSegments,
  startOf,
  unknownMetric,
} from "./counterfactual.ts";
import type { InferredLoad } from "./load.ts";
import { highestPerPod, recordedFigures } from "./recorded-figures.ts";
import { withResidualNoise } from "./residual-noise.ts";
import { knownSpans, recordedSegments, segmentsOf } from "./segments.ts";
import { type InferredSeries, loadOf } from "./series.ts";
import { type Unknown, unknownsOf } from "./unknowns.ts";

/** The recorded specification, simulated: how wrong everything else may be. */
export interface Control {
  readonly recorded: LoopFigures;
  readonly simulated: LoopFigures;
  /** As a fraction of what was recorded. */
  readonly podHoursError: number;
  readonly isWithinBar: boolean;
}

/** Lowest and highest: without the noise that samples average away, and the highest of draws with it. */
export interface RiskBand {
  readonly low: number;
  readonly high: number;
  /** The noise is faster than the samples: the true risk is higher. */
  readonly isAtLeast: boolean;
}

/** A whole number of pods. `likely` is the middle one of draws with the noise, because means of samples lower a peak. */
export interface PeakBand {
  readonly low: number;
  readonly likely: number;
  readonly high: number;
}

export interface WhatIf {
  /** On the load as its samples have it. */
  readonly scores: LoopFigures;
  /** Of the load as its samples have it, and of all draws. */
  readonly podHours: { readonly low: number; readonly high: number };
  readonly peak: PeakBand;
  readonly hotSeconds: RiskBand;
  readonly shortPodSeconds: RiskBand;
  /** With so much more load where it is a lower bound; absent where it nowhere is. */
  readonly censored?: { readonly factor: number; readonly scores: LoopFigures };
  /** With the highest cpu that a pod may use without load; absent where that is known. */
  readonly atMaxIdle?: { readonly idle: number; readonly scores: LoopFigures };
}

export interface Counterfactual {
  readonly control: Control;
  /** Seconds that were simulated. */
  readonly seconds: number;
  /** Load of a Ready pod above which it is hot. */
  readonly hotAbove: number;
  readonly unknowns: readonly Unknown[];
  /** Its runs are made by the caller. */
  plan(
    autoscaler: Autoscaler,
  ): { readonly ok: true; readonly plan: WhatIfPlan } | { readonly ok: false; readonly message: string };
}

/** What has to be run for one specification. */
export interface WhatIfPlan {
  /** Each is made when it is asked for: one holds the load of the whole recording. */
  readonly scenarios: readonly (() => Scenario)[];
  /** Of the runs of all scenarios, in their order. */
  read(runs: readonly SimulatedRun[]): WhatIf;
}

export interface CounterfactualOptions {
  /** Of the controller. */
  readonly periodMs: number;
  readonly seed: number;
  /** Absent: the highest that a pod was recorded with. */
  readonly hotAbove?: number;
  readonly signal?: { throwIfAborted(): void };
}

/** Draws of the noise; the highest counts. */
const draws = 20;
/** So much more load there may have been where it is a lower bound. */
const censoredFactor = 1.2;
const maxPodHoursError = 0.03;
const maxPeakError = 0.05;
const maxEventsError = 0.25;
const fewEvents = 5;

/** What is simulated, on the clock of the recorded controller; `gross` is what a hot pod has with its idle use. */
export function loopRequestOf(
  recording: Recording,
  { autoscaler, inferred }: { readonly autoscaler: Autoscaler; readonly inferred: InferredLoad },
  options: CounterfactualOptions,
): { readonly request: LoopRequest; readonly gross: number; readonly spans: readonly RecordedSpan[] } {
  const spans = knownSpans(recording, inferred);
  const { idle } = inferred;
  const gross = options.hotAbove ?? inferred.capacity ?? highestPerPod(inferred, spans) + idle;
  const { periodMs, ...rest } = options;
  const clock = clockOf(recording, autoscaler.syncPeriodMs ?? periodMs);
  return { request: { recording, inferred, clock, ...rest, hotAbove: netOf(gross, idle) }, gross, spans };
}

/** @throws what the signal throws */
export function createCounterfactual(
  recording: Recording,
  of: { readonly autoscaler: Autoscaler; readonly inferred: InferredLoad },
  options: CounterfactualOptions,
): Counterfactual {
  const { autoscaler, inferred } = of;
  const { request, gross, spans } = loopRequestOf(recording, of, options);
  const { hotAbove } = request;
  const censored = censoredLoad(recording, inferred, autoscaler);
  const load = loadOf(inferred.series);
  const recorded = recordedFigures(recording, inferred, { spans, hotAbove });
  const control = runSegments(request, recordedSegments(recording, spans, autoscaler), load);
  return {
    control: controlOf(recorded, control),
    seconds: spans.reduce((sum, { fromMs, toMs }) => sum + (toMs - fromMs) / 1000, 0),
    hotAbove: gross,
    unknowns: unknownsOf(recording, { inferred, autoscaler }, censored),
    plan(other) {
      const message = unknownMetric(other, inferred);
      if (message !== undefined) return { ok: false, message };
      return { ok: true, plan: planOf(request, { spans, autoscaler: other, censored, gross }) };
    },
  };
}

function controlOf(recorded: LoopFigures, simulated: LoopFigures): Control {
  const podHoursError = recorded.podHours === 0 ? 0 : simulated.podHours / recorded.podHours - 1;
  const peakError = Math.abs(simulated.peak - recorded.peak);
  const eventsError = Math.abs(simulated.events - recorded.events);
  return {
    recorded,
    simulated,
    podHoursError,
    isWithinBar:
      Math.abs(podHoursError) <= maxPodHoursError &&
      peakError <= Math.max(1, maxPeakError * recorded.peak) &&
      eventsError <= Math.max(fewEvents, maxEventsError * recorded.events),
  };
}

/** Of an unknown clock the period counts alone: its phase is drawn. */
function clockOf(recording: Recording, periodMs: number): LoopClock {
  const { clock, phases } = replayInstants(recording, periodMs, false);
  const atMs = clock.state === "unknown" ? [] : (phases[0] ?? []);
  return { syncPeriodMs: periodMs, periodMs: clock.periodMs ?? periodMs, atMs };
}

interface WhatIfRequest {
  readonly spans: readonly RecordedSpan[];
  readonly autoscaler: Autoscaler;
  readonly censored: readonly CensoredLoad[];
  /** With what a pod uses without load. */
  readonly gross: number;
}

/** A pod that is hot as soon as it has load is no pod. */
const minHot = 1e-9;

function netOf(gross: number, idle: number): number {
  return Math.max(minHot, gross - idle);
}

/** One load, and the scenario of each segment on it. */
interface Variant {
  readonly request: LoopRequest;
  readonly load: () => Load;
}

function planOf(request: LoopRequest, { spans, autoscaler, censored, gross }: WhatIfRequest): WhatIfPlan {
  const { inferred, seed, recording } = request;
  const { series, noise, overhead, seriesAtMaxIdle } = inferred;
  const segments = segmentsOf(spans, autoscaler);
  const more = { request, load: () => loadOf(withMoreLoad(series, censored, censoredFactor)) };
  const idle = overhead?.max ?? 0;
  const atMax = seriesAtMaxIdle === undefined ? [] : [atMaxIdle(request, seriesAtMaxIdle, { idle, gross })];
  const noisy =
    noise === undefined
      ? []
      : Array.from({ length: draws }, (_, n) => ({
          request,
          load: () => withResidualNoise(series, noise, seed + n),
        }));
  const plain: Variant = { request, load: () => loadOf(series) };
  const variants: readonly Variant[] = [plain, ...(censored.length === 0 ? [] : [more]), ...atMax, ...noisy];
  return {
    scenarios: variants.flatMap(({ request: of, load }) =>
      segments.map((segment) => () => freshScenario(of, segment, load())),
    ),
    read(runs) {
      const all = variants.map((_, variant) =>
        figuresOf(
          segments.flatMap((segment, at) => {
            const replicas = startOf(recording, segment);
            const { workloads = [] } = runs[variant * segments.length + at] ?? {};
            return workloads.map((workload) => ({ segment, replicas, workload }));
          }),
        ),
      );
      const of = (variant: Variant | undefined): LoopFigures | undefined =>
        variant === undefined ? undefined : all[variants.indexOf(variant)];
      const scores = of(plain);
      if (scores === undefined) throw new RangeError("a plan was read without its runs");
      const [censoredScores, idleScores] = [of(more), of(atMax[0])];
      const drawn = noisy.flatMap((variant) => of(variant) ?? []);
      const band = (figure: (figures: LoopFigures) => number): RiskBand => ({
        low: figure(scores),
        high: Math.max(figure(scores), ...drawn.map(figure)),
        isAtLeast: noise?.isAtLeast ?? false,
      });
      const hours = [scores, ...drawn].map(({ podHours }) => podHours);
      return {
        scores,
        podHours: { low: Math.min(...hours), high: Math.max(...hours) },
        peak: peakBand(
          scores.peak,
          drawn.map(({ peak }) => peak),
        ),
        hotSeconds: band(({ hotSeconds }) => hotSeconds),
        shortPodSeconds: band(({ shortPodSeconds }) => shortPodSeconds),
        ...(censoredScores === undefined
          ? {}
          : { censored: { factor: censoredFactor, scores: censoredScores } }),
        ...(idleScores === undefined ? {} : { atMaxIdle: { idle, scores: idleScores } }),
      };
    },
  };
}

/** Without draws the peak is that of the load as its samples have it. */
function peakBand(own: number, drawn: readonly number[]): PeakBand {
  const sorted = drawn.toSorted((a, b) => a - b);
  return {
    low: Math.min(own, ...drawn),
    likely: sorted[Math.floor(sorted.length / 2)] ?? own,
    high: Math.max(own, ...drawn),
  };
}

function atMaxIdle(
  request: LoopRequest,
  series: InferredSeries,
  { idle, gross }: { readonly idle: number; readonly gross: number },
): Variant {
  const inferred = { ...request.inferred, series, idle };
  return { request: { ...request, inferred, hotAbove: netOf(gross, idle) }, load: () => loadOf(series) };
}
