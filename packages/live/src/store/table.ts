// The series of a namespace, found by their labels and by the selectors that ask for them, within limits.
import type { Selector, Work } from "../evaluate/plan.ts";
import type { LiveSeries } from "../evaluate/series.ts";
import type { LabelSet } from "../labels.ts";
import { createSampleWindow, type Sample, type SampleWindow } from "./samples.ts";

/** What a namespace may keep. Defaults in brackets. */
export interface StoreLimits {
  /** [20000] */
  readonly series: number;
  /** Places for samples in all series; a series begins with 16 [2000000]. */
  readonly samples: number;
  /** For the labels of all series, about [32 Mi]. */
  readonly labelBytes: number;
  /** Whether more would be too much for all namespaces together. */
  readonly isFull?: (held: Held) => boolean;
}

/** So much of it is kept. */
export type Held = { -readonly [Limit in "series" | "samples" | "labelBytes"]: number };

export const nothingHeld = (): Held => ({ series: 0, samples: 0, labelBytes: 0 });

export interface StoredSeries extends LiveSeries {
  readonly window: SampleWindow;
  /** Selectors that match it. */
  askers: number;
}

export interface SeriesTable {
  /** From now on, series that a selector matches are kept for it. */
  ask(selector: Selector): void;
  /** Frees the series that no other selector matches. */
  leave(selectors: readonly Selector[]): void;
  /** In the order in which they began. */
  matching(selector: Selector): readonly StoredSeries[];
  known(key: string): StoredSeries | undefined;
  /** The series of these labels, begun where it has to be; undefined when no selector matches. */
  find(labels: LabelSet, work?: Work): StoredSeries | "full" | undefined;
  /** Drops samples up to `oldestMs`. False when there is no place; the mark of an end then takes that of the newest sample. */
  add(series: StoredSeries, sample: Sample, oldestMs: number): boolean;
  /** Frees the series without a sample after a time. */
  prune(oldestMs: number): void;
}

/** To find the series of a query that begins: a second for the worst regular expressions. */
const maxWork = 30_000_000;

/** @param held counts what the table keeps. */
export function createSeriesTable(limits: StoreLimits, held: Held): SeriesTable {
  const contents: Contents = { series: new Map(), asked: new Map(), held };
  const { series, asked } = contents;
  return {
    ask(selector) {
      const work = { left: maxWork };
      const found = [...series.values()].filter(({ labels }) => selector.matches(labels, work));
      // One that takes longer finds nothing.
      if (work.left < 0) return;
      asked.set(selector, found);
      for (const one of found) one.askers += 1;
    },
    leave(selectors) {
      for (const selector of selectors) {
        for (const one of asked.get(selector) ?? []) one.askers -= 1;
        asked.delete(selector);
      }
      keep(contents, ({ askers }) => askers > 0);
    },
    matching: (selector) => asked.get(selector) ?? [],
    known: (key) => series.get(key),
    find: (labels, work) => series.get(labels.key) ?? begin(contents, labels, { limits, work }),
    add({ window }, sample, oldestMs) {
      const before = window.capacity;
      const growth = window.capacityAfterAdd(oldestMs) - before;
      if (growth > 0 && (held.samples + growth > limits.samples || limits.isFull?.(held) === true)) {
        if (sample.isStale) window.endAt(sample.ms);
        return false;
      }
      window.add(sample, oldestMs);
      held.samples += window.capacity - before;
      return true;
    },
    prune: (oldestMs) => keep(contents, ({ samples: { times, to } }) => (times[to - 1] ?? 0) > oldestMs),
  };
}

interface Contents {
  readonly series: Map<string, StoredSeries>;
  readonly asked: Map<Selector, StoredSeries[]>;
  readonly held: Held;
}

function begin(
  contents: Contents,
  labels: LabelSet,
  { limits, work = { left: Infinity } }: { readonly limits: StoreLimits; readonly work: Work | undefined },
): StoredSeries | "full" | undefined {
  const asking = [...contents.asked].filter(([selector]) => selector.matches(labels, work));
  if (work.left < 0) return "full";
  if (asking.length === 0) return undefined;
  const window = createSampleWindow();
  const { held } = contents;
  const isFull =
    held.series >= limits.series ||
    held.samples + window.capacity > limits.samples ||
    held.labelBytes + bytesOf(labels) > limits.labelBytes ||
    limits.isFull?.(held) === true;
  if (isFull) return "full";
  const begun = { labels, samples: window.samples, window, askers: asking.length };
  contents.series.set(labels.key, begun);
  count(held, begun, 1);
  for (const [, found] of asking) found.push(begun);
  return begun;
}

/** Short texts take more than their characters. */
const bytesOf = ({ key, pairs }: LabelSet): number => key.length + 40 * pairs.length;

function count(held: Held, { labels, window }: StoredSeries, by: 1 | -1): void {
  held.series += by;
  held.samples += by * window.capacity;
  held.labelBytes += by * bytesOf(labels);
}

function keep(contents: Contents, isKept: (one: StoredSeries) => boolean): void {
  const { series, asked } = contents;
  const gone = [...series.values()].filter((one) => !isKept(one));
  for (const one of gone) {
    series.delete(one.labels.key);
    count(contents.held, one, -1);
  }
  if (gone.length === 0) return;
  for (const [selector, found] of asked)
    asked.set(
      selector,
      found.filter(({ labels }) => series.has(labels.key)),
    );
}
