// The series of a namespace, found by their labels and by the selectors that ask for them, within limits.
import type { Selector } from "../evaluate/plan.ts";
import type { LiveSeries } from "../evaluate/series.ts";
import type { LabelSet } from "../labels.ts";
import { createSampleWindow, type Sample, type SampleWindow } from "./samples.ts";

/** What a namespace may keep. Defaults in brackets. */
export interface StoreLimits {
  /** [20000] */
  readonly series: number;
  /** Places for samples in all series; a series begins with 16 [2000000]. */
  readonly samples: number;
}

export interface StoredSeries extends LiveSeries {
  readonly window: SampleWindow;
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
  find(labels: LabelSet): StoredSeries | "full" | undefined;
  /** Drops samples up to `oldestMs`. False when there is no place; the mark of an end then takes that of the newest sample. */
  add(series: StoredSeries, sample: Sample, oldestMs: number): boolean;
  /** Frees the series without a sample after a time. */
  prune(oldestMs: number): void;
  readonly held: { readonly series: number; readonly samples: number };
}

/** @param limits of the whole table. */
export function createSeriesTable(limits: StoreLimits): SeriesTable {
  const contents: Contents = { series: new Map(), asked: new Map(), places: 0 };
  const { series, asked } = contents;
  return {
    ask(selector) {
      const found = [...series.values()].filter(({ labels }) => selector.matches(labels));
      asked.set(selector, found);
    },
    leave(selectors) {
      for (const selector of selectors) asked.delete(selector);
      const others = [...asked.keys()];
      keep(contents, ({ labels }) => others.some((selector) => selector.matches(labels)));
    },
    matching: (selector) => asked.get(selector) ?? [],
    known: (key) => series.get(key),
    find: (labels) => series.get(labels.key) ?? begin(contents, labels, limits),
    add({ window }, sample, oldestMs) {
      const before = window.capacity;
      const growth = window.capacityAfterAdd(oldestMs) - before;
      if (growth > 0 && contents.places + growth > limits.samples) {
        if (sample.isStale) window.endAt(sample.ms);
        return false;
      }
      window.add(sample, oldestMs);
      contents.places += window.capacity - before;
      return true;
    },
    prune: (oldestMs) => keep(contents, ({ samples: { times, to } }) => (times[to - 1] ?? 0) > oldestMs),
    get held() {
      return { series: series.size, samples: contents.places };
    },
  };
}

interface Contents {
  readonly series: Map<string, StoredSeries>;
  readonly asked: Map<Selector, StoredSeries[]>;
  places: number;
}

function begin(contents: Contents, labels: LabelSet, limits: StoreLimits): StoredSeries | "full" | undefined {
  const asking = [...contents.asked].filter(([selector]) => selector.matches(labels));
  if (asking.length === 0) return undefined;
  const window = createSampleWindow();
  const isFull = contents.series.size >= limits.series || contents.places + window.capacity > limits.samples;
  if (isFull) return "full";
  const begun = { labels, samples: window.samples, window };
  contents.series.set(labels.key, begun);
  contents.places += window.capacity;
  for (const [, found] of asking) found.push(begun);
  return begun;
}

function keep(contents: Contents, isKept: (one: StoredSeries) => boolean): void {
  const { series, asked } = contents;
  const gone = [...series.values()].filter((one) => !isKept(one));
  for (const { labels, window } of gone) {
    series.delete(labels.key);
    contents.places -= window.capacity;
  }
  if (gone.length === 0) return;
  for (const [selector, found] of asked)
    asked.set(
      selector,
      found.filter(({ labels }) => series.has(labels.key)),
    );
}
