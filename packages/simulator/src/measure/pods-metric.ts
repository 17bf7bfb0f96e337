// A metric that each pod has a value of: one query over the scrapes of the pods.
import type { PodsSample } from "@plimsoll/core";
import type { MetricMeaning, PodModel } from "../loop/scenario.ts";
import type { SimulatedPod } from "../plant/pod.ts";
import type { Failures } from "./failures.ts";
import { lifeAt, podValue, type Span, scrapesIn } from "./pod-window.ts";
import { milliText } from "./quantity-text.ts";
import { overWindow, type Window, zeroFreeFirst } from "./rate.ts";
import type { ScrapeGroup, Scrapes } from "./scrapes.ts";

/** What a query needs. */
export interface PodsQuery {
  readonly meaning: MetricMeaning;
  readonly model: PodModel;
  readonly scrapes: Scrapes;
  readonly failures: Failures;
  readonly promql: "2" | "3";
  readonly lookbackMs: number;
}

/** What all pods of a group share that have served throughout the window. */
interface Shared {
  readonly group: ScrapeGroup;
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

/** The samples of the pods at an instant, in the order of the pods. */
export function createPodsMetric(query: PodsQuery): (pods: readonly SimulatedPod[], atMs: number) => readonly PodsSample[] {
  const { meaning, model, scrapes, failures, promql, lookbackMs } = query;
  const isPlain = meaning.query === "value";
  const windowMs = isPlain ? lookbackMs : meaning.windowMs;
  const values = new Float64Array(scrapes.size);
  const instants = new Float64Array(scrapes.size);
  // Counters differ from pod to pod, but not by how much they grow; cpu also has the time since the start in it.
  const isShareable =
    isGauge(meaning.of) || (meaning.of !== "cpu" && ["rate", "irate", "increase"].includes(meaning.query));
  const shared = new Map(scrapes.groups.map((group) => [group, newShared(group)]));
  const span = (toMs: number): Span => ({
    fromMs: toMs - windowMs,
    toMs,
    isClosed: promql === "2",
    size: scrapes.size,
  });

  const valueOf = (pod: SimulatedPod, group: ScrapeGroup, of: Span): string | undefined => {
    const { first, end } = scrapesIn(group, of);
    let count = 0;
    for (let scrape = first; scrape < end; scrape++) {
      const slot = scrape % scrapes.size;
      const atMs = group.atMs[slot] ?? 0;
      const life = lifeAt(pod.lives, atMs);
      const isStale = life === undefined || failures.failed(pod.ordinal, scrape);
      // A plain selector sees the mark that a failed scrape leaves, a window does not.
      if (isStale && isPlain) count = 0;
      if (isStale) continue;
      instants[count] = atMs;
      values[count++] = podValue(meaning.of, { group, slot }, life, model);
    }
    const window: Window = { atMs: instants, values, count, fromMs: of.fromMs, toMs: of.toMs };
    return textOf(overWindow(meaning.query, window, promql));
  };
  const share = (entry: Shared, of: Span): void => {
    const { group } = entry;
    const { first, end } = scrapesIn(group, of);
    const slotOf = (scrape: number) => scrape % scrapes.size;
    for (let scrape = first; scrape < end; scrape++) {
      const slot = slotOf(scrape);
      instants[scrape - first] = group.atMs[slot] ?? 0;
      values[scrape - first] = podValue(meaning.of, { group, slot }, ageless, model);
    }
    const window: Window = { atMs: instants, values, count: end - first, fromMs: of.fromMs, toMs: of.toMs };
    Object.assign(entry, { first, end });
    entry.firstPerPod = group.perPod[slotOf(first)] ?? 0;
    entry.firstMs = group.atMs[slotOf(first)] ?? 0;
    entry.minFirst = zeroFreeFirst(meaning.query, window);
    // As if it had counted so much before that its zero plays no part.
    const offset = entry.minFirst === Infinity ? 0 : entry.minFirst * 2 - (values[0] ?? 0);
    if (!isGauge(meaning.of)) for (let at = 0; at < window.count; at++) values[at] = (values[at] ?? 0) + offset;
    entry.text = textOf(overWindow(meaning.query, window, promql));
  };

  return (pods, atMs) => {
    const of = span(atMs);
    if (isShareable) for (const entry of shared.values()) share(entry, of);
    const samples: PodsSample[] = [];
    for (const pod of pods) {
      const group = scrapes.groupOf(pod.ordinal);
      const entry = isShareable ? shared.get(group) : undefined;
      const isOld = entry !== undefined && hasServedThroughout(pod, entry) && !failures.any(pod.ordinal, entry.first, entry.end);
      const value = isOld ? entry.text : valueOf(pod, group, of);
      if (value !== undefined) samples.push({ name: pod.name, value });
    }
    return samples;
  };
}

function isGauge(of: MetricMeaning["of"]): boolean {
  return of === "backlog" || of === "in-flight" || of === "memory";
}

/** A life before the first sample, of a pod that serves. */
const ageless = {
  startMs: -Infinity,
  endMs: Infinity,
  servesFromMs: -Infinity,
  servesUntilMs: Infinity,
  opened: 0,
  closed: 0,
};

function hasServedThroughout({ lives, isServing }: SimulatedPod, { firstMs, firstPerPod, minFirst }: Shared): boolean {
  const life = lives[lives.length - 1];
  return isServing && life !== undefined && life.servesFromMs < firstMs && firstPerPod - life.opened >= minFirst;
}

function textOf(value: number): string | undefined {
  return Number.isFinite(value) ? milliText(value) : undefined;
}

function newShared(group: ScrapeGroup): Shared {
  const unknown = { text: undefined, firstMs: 0, firstPerPod: 0, minFirst: 0 };
  return { group, first: 0, end: 0, ...unknown };
}
