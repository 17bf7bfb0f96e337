// The samples of a namespace: those that queries ask for, for as long as they do.
import type { Plan, Selector, Work } from "../evaluate/plan.ts";
import type { LiveSeries } from "../evaluate/series.ts";
import type { ScrapedSample } from "../exposition/reader.ts";
import { createSeriesTable, type Held, nothingHeld, type SeriesTable, type StoreLimits } from "./table.ts";

export interface StoreOptions {
  readonly limits?: StoreLimits;
  /** What is kept; stores that share it share the limits. */
  readonly held?: Held;
  /** Samples that no range of a query reaches are kept for this long: the newest value of a slow target [60000]. */
  readonly lookbackMs?: number;
}

/** A query that is being asked. */
export interface Watch {
  /** What `evaluate` takes. In the order in which the series began. */
  seriesOf(selector: Selector): readonly LiveSeries[];
  /** Frees the series that no other query asks for. */
  close(): void;
}

/** The series of one pod. */
export interface StoredTarget {
  /**
   * A scrape that succeeded. A series of the last scrape that is not in this one goes stale.
   *
   * @param work for series that begin @returns how many samples a limit kept out. Their series end.
   */
  scraped(samples: readonly ScrapedSample[], atMs: number, work?: Work): number;
  /** A scrape that failed, or the pod is gone: all its series go stale. */
  failed(atMs: number): void;
}

export interface Store {
  /** The same plan may be watched more than once. */
  watch(plan: Plan): Watch;
  target(): StoredTarget;
  /** Frees series that ended before every range. Call it once in a while, also when nothing is scraped. */
  prune(nowMs: number): void;
  readonly held: Held;
}

const defaults: StoreLimits = { series: 20_000, samples: 2_000_000, labelBytes: 33_554_432 };
const LOOKBACK_MS = 60_000;

/** Starts nothing; the caller says what time it is. */
export function createStore({
  limits = defaults,
  held = nothingHeld(),
  lookbackMs = LOOKBACK_MS,
}: StoreOptions = {}): Store {
  const table = createSeriesTable(limits, held);
  const watches = new Map<object, Plan>();
  const oldestMs = (nowMs: number): number =>
    nowMs - Math.max(lookbackMs, ...Array.from(watches.values(), ({ longestRangeMs }) => longestRangeMs));
  return {
    watch(plan) {
      const own = {};
      const isNew = ![...watches.values()].includes(plan);
      watches.set(own, plan);
      if (isNew) for (const selector of plan.selectors) table.ask(selector);
      return {
        seriesOf: table.matching,
        close() {
          if (watches.delete(own) && ![...watches.values()].includes(plan)) table.leave(plan.selectors);
        },
      };
    },
    target: () => createTarget(table, oldestMs),
    prune: (nowMs) => table.prune(oldestMs(nowMs)),
    held,
  };
}

function createTarget(table: SeriesTable, oldestMs: (nowMs: number) => number): StoredTarget {
  /** The keys of the last scrape, without those that have times of their own. */
  let current: ReadonlySet<string> = new Set();

  /** What is not in `next` goes stale. */
  function goOn(next: ReadonlySet<string>, atMs: number): void {
    const oldest = oldestMs(atMs);
    for (const key of current) {
      const series = next.has(key) ? undefined : table.known(key);
      if (series !== undefined) table.add(series, { ms: atMs, value: Number.NaN, isStale: true }, oldest);
    }
    current = next;
  }

  return {
    scraped(samples, atMs, work) {
      const next = new Set<string>();
      const oldest = oldestMs(atMs);
      let refused = 0;
      for (const { labels, value, atMs: ownMs } of samples) {
        const series = table.find(labels, work);
        if (series === undefined) continue;
        const sample = { ms: ownMs ?? atMs, value, isStale: false };
        const isStored = series !== "full" && table.add(series, sample, oldest);
        if (!isStored) refused += 1;
        // As with Prometheus, a series that states its times does not go stale.
        else if (ownMs === undefined) next.add(labels.key);
      }
      goOn(next, atMs);
      return refused;
    },
    failed: (atMs) => goOn(new Set(), atMs),
  };
}
