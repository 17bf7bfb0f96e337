// A metric that each pod has a value of: one query over the scrapes of the pods.
import type { PodsSample } from "@plimsoll/core";
import type { ContainerLife, SimulatedPod } from "../plant/pod.ts";
import type { MetricMeaning, PodModel } from "../scenario.ts";
import type { Failures } from "./failures.ts";
import { lifeAt, podValue, type Span, scrapesIn } from "./pod-window.ts";
import { milliText } from "./quantity-text.ts";
import { overWindow, zeroFreeFirst } from "./rate.ts";
import type { ScrapeGroup, Scrapes } from "./scrapes.ts";

/** What a query needs. */
export interface MetricQuery {
  readonly meaning: MetricMeaning;
  readonly model: PodModel;
  readonly scrapes: Scrapes;
  readonly failures: Failures;
  readonly promql: "2" | "3";
  readonly lookbackMs: number;
}

/** A query with room for the samples of one window. */
interface Evaluation extends MetricQuery {
  readonly isPlain: boolean;
  readonly atMs: Float64Array;
  readonly values: Float64Array;
}

/** What all pods of a group have in common that have served throughout the window. */
interface Shared {
  readonly group: ScrapeGroup;
  /** The instant that it was evaluated at. */
  toMs: number;
  first: number;
  end: number;
  /** Undefined: no value. */
  text: string | undefined;
  /** The first sample of the window. */
  firstMs: number;
  firstPerPod: number;
  /** A counter that is lower there has its own value. */
  minFirst: number;
}

/** Reads the samples of the pods at an instant, in the order of the pods. */
export type ReadPods = (pods: readonly SimulatedPod[], atMs: number) => readonly PodsSample[];

/** The span that a query looks at, at an instant. */
export function spanOf({ meaning, lookbackMs, promql, scrapes }: MetricQuery): (toMs: number) => Span {
  const windowMs = meaning.query === "value" ? lookbackMs : meaning.windowMs;
  const [isClosed, size] = [promql === "2", scrapes.size];
  return (toMs) => ({ fromMs: toMs - windowMs, toMs, isClosed, size });
}

/** A query for each pod. Pods that have the same value have it evaluated once. */
export function createPodsMetric(query: MetricQuery): ReadPods {
  const { meaning, scrapes, failures } = query;
  const evaluation: Evaluation = {
    ...query,
    isPlain: meaning.query === "value",
    atMs: new Float64Array(scrapes.size),
    values: new Float64Array(scrapes.size),
  };
  const spanAt = spanOf(query);
  const shared = isShareable(meaning) ? scrapes.groups.map(newShared) : [];
  return (pods, atMs) => {
    const span = spanAt(atMs);
    const samples: PodsSample[] = [];
    for (const pod of pods) {
      const group = scrapes.groupOf(pod.ordinal);
      const entry = shared[group];
      if (entry !== undefined && entry.toMs !== atMs) evaluateShared(evaluation, entry, span);
      const hasShared =
        entry !== undefined &&
        hasServedThroughout(pod, entry) &&
        !failures.any(pod.ordinal, entry.first, entry.end);
      const value = hasShared ? entry.text : evaluatePod(evaluation, pod, scrapes.groups[group], span);
      if (value !== undefined) samples.push({ name: pod.name, value });
    }
    return samples;
  };
}

/** Counters differ from pod to pod, but not by how much they grow; cpu also has the time since the start in it. */
function isShareable({ of, query }: MetricMeaning): boolean {
  return isGauge(of) || (of !== "cpu" && ["rate", "irate", "increase"].includes(query));
}

function isGauge(of: MetricMeaning["of"]): boolean {
  return of === "backlog" || of === "in-flight" || of === "memory";
}

function evaluatePod(
  evaluation: Evaluation,
  pod: SimulatedPod,
  group: ScrapeGroup | undefined,
  span: Span,
): string | undefined {
  if (group === undefined) return undefined;
  const { meaning, model, scrapes, failures, isPlain, atMs, values, promql } = evaluation;
  const { first, end } = scrapesIn(group, span);
  let count = 0;
  for (let scrape = first; scrape < end; scrape++) {
    const slot = scrape % scrapes.size;
    const instant = group.atMs[slot] ?? 0;
    const life = lifeAt(pod.lives, instant);
    const isAbsent = life === undefined || failures.failed(pod.ordinal, scrape);
    // A plain selector sees the marker that a failed scrape leaves, a window does not.
    if (isAbsent && isPlain) count = 0;
    if (isAbsent) continue;
    atMs[count] = instant;
    values[count++] = podValue(meaning.of, { group, slot }, life, model);
  }
  const { fromMs, toMs } = span;
  return textOf(overWindow(meaning.query, { atMs, values, count, fromMs, toMs }, promql));
}

/** A container that served before the first sample, and serves. */
const ageless: ContainerLife = {
  startMs: -Infinity,
  endMs: Infinity,
  servesFromMs: -Infinity,
  servesUntilMs: Infinity,
  opened: 0,
  closed: 0,
};

function evaluateShared(evaluation: Evaluation, entry: Shared, span: Span): void {
  const { meaning, scrapes, atMs, values, promql } = evaluation;
  const { group } = entry;
  const { first, end } = scrapesIn(group, span);
  readShared(evaluation, group, first, end);
  const count = end - first;
  const window = { atMs, values, count, fromMs: span.fromMs, toMs: span.toMs };
  entry.toMs = span.toMs;
  entry.first = first;
  entry.end = end;
  entry.firstMs = count === 0 ? -Infinity : (atMs[0] ?? 0);
  entry.firstPerPod = group.perPod[first % scrapes.size] ?? 0;
  entry.minFirst = isGauge(meaning.of) ? -Infinity : zeroFreeFirst(meaning.query, window);
  if (Number.isFinite(entry.minFirst)) {
    // As if it had counted so much before that its zero plays no part.
    const more = 2 * entry.minFirst - (values[0] ?? 0);
    for (let at = 0; at < count; at++) values[at] = (values[at] ?? 0) + more;
  }
  entry.text = textOf(overWindow(meaning.query, window, promql));
}

/** The samples of a pod that serves all the time. */
function readShared(
  { meaning, model, scrapes, atMs, values }: Evaluation,
  group: ScrapeGroup,
  first: number,
  end: number,
): void {
  const isCounter = !isGauge(meaning.of);
  let slot = first % scrapes.size;
  for (let at = 0; at < end - first; at++) {
    atMs[at] = group.atMs[slot] ?? 0;
    // Of what can be shared, counters are requests: the quick way to what `podValue` says.
    values[at] = isCounter
      ? (group.perPod[slot] ?? 0)
      : podValue(meaning.of, { group, slot }, ageless, model);
    if (++slot === scrapes.size) slot = 0;
  }
}

function hasServedThroughout({ lives, isServing }: SimulatedPod, shared: Shared): boolean {
  const life = lives[lives.length - 1];
  if (!isServing || life === undefined || life.servesFromMs >= shared.firstMs) return false;
  return shared.firstPerPod - life.opened >= shared.minFirst;
}

function textOf(value: number): string | undefined {
  return Number.isFinite(value) ? milliText(value) : undefined;
}

function newShared(group: ScrapeGroup): Shared {
  return {
    group,
    toMs: -Infinity,
    first: 0,
    end: 0,
    text: undefined,
    firstMs: -Infinity,
    firstPerPod: 0,
    minFirst: 0,
  };
}
