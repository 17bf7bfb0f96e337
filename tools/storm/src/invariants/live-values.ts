// What values of live metrics may be: those of the pages that a process had read at a moment within the age bound.
import { getOrAdd } from "@plimsoll/component-base";
import { overWindow } from "@plimsoll/simulator";
import type { LiveMetric } from "../objects/live.ts";
import type { Observed } from "../run/world.ts";
import type { AdapterServed, ServedItem } from "./served-response.ts";

type Page = Observed<"scraped">;

/** Longer than a window and a request. */
const keptMs = 120_000;
/** A window does not span rounds that are further apart, in intervals. */
const brokenAfterIntervals = 1.5;

/** Thousandths are served: of two results that differ by less, one may be rounded to another one. */
const tolerance = 0.001_001;

/** The lowest and the highest value: they differ where it depends on what is known of a pod. */
type Bounds = readonly [low: number, high: number];

export function createLiveValues() {
  /** By process and run, and by pod. */
  const runs = new Map<string, Map<string, Page[]>>();
  const keyOf = ({ process, run }: Pick<Page, "process" | "run">): string => `${process}/${run}`;
  return {
    note(page: Page): void {
      const pods = getOrAdd(runs, keyOf(page), () => new Map<string, Page[]>());
      const pages = getOrAdd(pods, page.pod, () => []);
      while (pages[0] !== undefined && page.sentAtMs - pages[0].sentAtMs > keptMs) pages.shift();
      pages.push(page);
    },
    /** Of a value of one pod, or of all of the workload. */
    problemOf(
      served: AdapterServed,
      item: ServedItem,
      metric: LiveMetric & { readonly isOfPod: boolean },
    ): string | undefined {
      const { workload, isOfPod } = metric;
      const all = [...(runs.get(keyOf(served)) ?? [])].filter(([pod]) => pod.startsWith(`${workload}-`));
      const pods = all.flatMap(([pod, pages]) => (isOfPod && pod !== item.name ? [] : [pages]));
      const value = item.values[0]?.value ?? "";
      const maxAgeMs = 3 * metric.intervalMs + 2_000;
      // A round ends with the last of its pages.
      const moments = new Set(all.flatMap(([, pages]) => pages.map(({ endedAtMs }) => endedAtMs)));
      const isOne = [...moments].some(
        (atMs) =>
          atMs >= served.receivedAtMs - maxAgeMs &&
          isServedAs(value, boundsAt(pods, metric, { atMs, isOfPod })),
      );
      if (isOne) return undefined;
      return `${item.metric} is ${value}, which the pages of ${isOfPod ? item.name : workload} gave at no moment in the last ${maxAgeMs} ms`;
    },
  };
}

function isServedAs(value: string, [low, high]: Bounds): boolean {
  const given = value.endsWith("m") ? Number(value.slice(0, -1)) / 1_000 : Number(value.replace(/k$/, "e3"));
  return given >= low - tolerance && given <= high + tolerance;
}

/** A pod without a value has none to serve. */
const nothing: Bounds = [Infinity, -Infinity];

/** Of one pod it is its value; otherwise the sum, in which pods may be missing whose pages were. */
function boundsAt(
  pods: readonly (readonly Page[])[],
  metric: LiveMetric,
  { atMs, isOfPod }: { readonly atMs: number; readonly isOfPod: boolean },
): Bounds {
  const read = pods.map((pages) => pages.filter(({ endedAtMs }) => endedAtMs <= atMs));
  const roundMs = Math.max(...read.map((pages) => pages.at(-1)?.sentAtMs ?? 0));
  let [low, high] = [0, 0];
  for (const pages of read) {
    const values = valuesAt(pages, metric, atMs);
    if (isOfPod && values.length === 0) return nothing;
    const isSure = values.length > 0 && (isOfPod || isWhole(pages, metric, { roundMs, atMs }));
    const all = isSure ? values : [0, ...values];
    low += Math.min(...all);
    high += Math.max(...all);
  }
  return [low, high];
}

/** Of a rate with and without the first page: scraping may have begun anew after it. */
function valuesAt(pages: readonly Page[], { series, rangeMs }: LiveMetric, toMs: number): readonly number[] {
  const fromMs = toMs - rangeMs;
  const samples = pages.flatMap(({ sentAtMs, values }) => {
    const value = values?.[series];
    return value === undefined ? [] : [[sentAtMs, value] as const];
  });
  if (rangeMs === 0)
    return samples
      .slice(-1)
      .flatMap(([sentAtMs, value]) => (sentAtMs === pages.at(-1)?.sentAtMs ? value : []));
  const inside = samples.filter(([sentAtMs]) => sentAtMs > fromMs);
  return [inside, inside.slice(1)].flatMap((window) => {
    if (window.length < 2) return [];
    const atMs = Float64Array.from(window, ([sentAtMs]) => sentAtMs);
    const values = Float64Array.from(window, ([, value]) => value);
    const rate = overWindow("rate", { atMs, values, count: window.length, fromMs, toMs }, "3");
    return Number.isNaN(rate) ? [] : rate;
  });
}

/** Whether a pod was read in the last round, and in all before it that the window has. */
function isWhole(
  pages: readonly Page[],
  { intervalMs, rangeMs }: LiveMetric,
  { roundMs, atMs }: { readonly roundMs: number; readonly atMs: number },
): boolean {
  const recent = pages.filter(({ endedAtMs }) => endedAtMs > atMs - rangeMs - intervalMs);
  const lastMs = recent.at(-1)?.sentAtMs ?? 0;
  if (lastMs < roundMs - intervalMs / 2) return false;
  return recent.every(({ values, sentAtMs }, at) => {
    const beforeMs = recent[at - 1]?.sentAtMs ?? sentAtMs;
    return values !== undefined && sentAtMs - beforeMs <= brokenAfterIntervals * intervalMs;
  });
}
