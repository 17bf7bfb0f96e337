// Scrapes the targets, each in its own phase. Nothing runs by itself: what is due is done before anything is read.
import type { Labels } from "@plimsoll/prometheus";
import type { LoadedPod, LoadedWorkload } from "../load/loaded-pods.ts";
import type { Random } from "../random/random.ts";
import type { ScrapeLoss } from "./faults.ts";
import { createSeries, lookbackMs, type Series } from "./series.ts";
import type { SeriesTable } from "./series-table.ts";
import {
  growCounters,
  podKey,
  podTarget,
  resetCounters,
  type Target,
  type TargetSeams,
  workloadKey,
  workloadTarget,
} from "./target.ts";

export const scrapeMs = 15_000;
/** The series of a target that is gone are found as long. */
const keptMs = 2 * lookbackMs;

/** The values of a page, by their names. */
export type PodPage = Readonly<Record<string, number>>;

export interface Scraper {
  /** Does the scrapes that are due. */
  catchUp(nowMs: number): void;
  /** What a pod shows of itself at this moment, or why it does not. */
  read(pod: LoadedPod | undefined, nowMs: number): PodPage | string;
  addPod(pod: LoadedPod, nowMs: number): void;
  restartPod(pod: LoadedPod): void;
  removePod(pod: LoadedPod, nowMs: number): void;
  addWorkload(workload: LoadedWorkload, nowMs: number): void;
  removeWorkload(workload: LoadedWorkload, nowMs: number): void;
  /** As if the processes behind them were started again. */
  resetCounters(isWanted: (target: Target) => boolean): void;
}

/** What happens to scrapes while faults last. */
export interface ScrapeFates {
  lossOf(target: Target): ScrapeLoss;
  /** What a target gives as the value of a series. */
  exported(series: Series, value: number): number;
}

export interface ScraperOptions extends Omit<TargetSeams, "seriesOf"> {
  readonly table: SeriesTable;
  readonly random: Random;
  /** The wall clock of Prometheus. */
  readonly aheadMs: () => number;
  readonly fates: ScrapeFates;
}

export function createScraper(options: ScraperOptions): Scraper {
  const targets = createTargets(options);
  const seams: TargetSeams = { ...options, seriesOf: targets.seriesOf };
  return {
    catchUp(nowMs) {
      for (let due = targets.takeDue(nowMs); due !== undefined; due = targets.takeDue(nowMs)) {
        scrape(options, due);
        due.dueMs += scrapeMs;
        targets.enqueue(due);
      }
    },
    read(pod, nowMs) {
      const target = pod?.isUp === true ? targets.of(podKey(pod)) : undefined;
      if (target === undefined) return "refuses the connection";
      growCounters(target, nowMs);
      return options.fates.lossOf(target) === true ? "silent" : pageOf(options.fates, target, nowMs);
    },
    addPod: (pod, nowMs) => targets.add(podTarget(pod, seams), nowMs),
    restartPod(pod) {
      const target = targets.of(podKey(pod));
      if (target !== undefined) resetCounters(target);
    },
    removePod: (pod, nowMs) => leave(targets.of(podKey(pod)), nowMs),
    addWorkload: (workload, nowMs) => targets.add(workloadTarget(workload, seams), nowMs),
    removeWorkload: (workload, nowMs) => leave(targets.of(workloadKey(workload)), nowMs),
    resetCounters(isWanted) {
      for (const target of targets.all()) if (isWanted(target)) resetCounters(target);
    },
  };
}

function leave(target: Target | undefined, nowMs: number): void {
  if (target !== undefined) target.goneMs ??= nowMs;
}

/** The targets and their series. */
function createTargets({ table, random }: ScraperOptions) {
  const targets = new Map<string, Target>();
  const known = new Map<string, Series>();
  /** By the time at which they are due: all have the same interval, so that each goes to the end when it was scraped. */
  const queue: Target[] = [];

  const enqueue = (target: Target): void => {
    let at = queue.length;
    while (at > 0 && (queue[at - 1]?.dueMs ?? 0) > target.dueMs) at -= 1;
    queue.splice(at, 0, target);
  };

  const forget = (target: Target): void => {
    targets.delete(target.key);
    for (const { series } of [...target.metrics, { series: target.up }]) {
      table.delete(series);
      known.delete(series.identity);
    }
  };

  return {
    enqueue,
    of: (key: string) => targets.get(key),
    all: () => targets.values(),
    seriesOf(name: string, labels: Labels, identity: string): Series {
      const series = known.get(identity) ?? createSeries(name, labels, identity);
      known.set(identity, series);
      table.add(series);
      return series;
    },
    /** In place of another of the same key, whose series it continues. */
    add(target: Target, nowMs: number): void {
      const former = targets.get(target.key);
      if (former !== undefined) queue.splice(queue.indexOf(former), 1);
      const phase = random.stream(`scrape/${target.key}`).between(0, scrapeMs - 1);
      target.dueMs = Math.ceil((nowMs - phase) / scrapeMs) * scrapeMs + phase;
      target.grownMs = nowMs;
      targets.set(target.key, target);
      enqueue(target);
    },
    /** The first one that is due, taken out of the queue. */
    takeDue(nowMs: number): Target | undefined {
      for (let [first] = queue; first !== undefined && first.dueMs <= nowMs; [first] = queue) {
        queue.shift();
        if (first.goneMs === undefined || first.dueMs - first.goneMs <= keptMs) return first;
        forget(first);
      }
      return undefined;
    },
  };
}

/** At the time at which it is due. */
function scrape({ aheadMs, fates }: ScraperOptions, target: Target): void {
  const { dueMs, goneMs, metrics, up } = target;
  const atMs = dueMs + aheadMs();
  if (goneMs !== undefined) {
    // Prometheus waits for two scrapes before it says that the series of a target have ended.
    if (dueMs - goneMs > 2 * scrapeMs) endSeries(target, atMs);
    return;
  }
  growCounters(target, dueMs);
  const loss = fates.lossOf(target);
  if (loss === "unseen") return;
  if (!target.isUp() || loss) {
    for (const { series } of metrics) series.markStale(atMs);
    up.append(atMs, 0);
    return;
  }
  for (const metric of metrics) metric.series.append(atMs, exportedOf(fates, metric, dueMs));
  up.append(atMs, 1);
}

/** Without what the kubelet says of its containers. */
function pageOf(fates: ScrapeFates, { metrics }: Target, nowMs: number): PodPage {
  const own = metrics.filter(({ series }) => series.labels["container"] === undefined);
  return Object.fromEntries(own.map((metric) => [metric.series.name, exportedOf(fates, metric, nowMs)]));
}

function exportedOf(
  fates: ScrapeFates,
  { series, isCounter, level, total }: Target["metrics"][number],
  nowMs: number,
): number {
  return fates.exported(series, isCounter ? total : level(nowMs));
}

function endSeries({ metrics, up }: Target, atMs: number): void {
  for (const { series } of [...metrics, { series: up }]) series.markStale(atMs);
}
