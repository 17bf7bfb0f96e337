// Loaded into a process under test with --import. SIGUSR2 begins a measurement of its event loop; the next one ends it and
// writes the result to the file that $PLIMSOLL_BENCH_PROBE names. Between measurements it costs nothing.
import { renameSync, writeFileSync } from "node:fs";
import { monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";

/** How late a timer of a millisecond fired, and the collections of garbage meanwhile. */
export interface Delays {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
  /** Mark-sweeps of the old generation: how many finished, and the longest pause. */
  readonly majorCollections: number;
  readonly maxCollectionMs: number;
}

const resolutionMs = 1;
const majorKind = 4;

/** @returns what ends the measurement */
export function watchDelays(): () => Delays {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  const collections: { readonly isMajor: boolean; readonly ms: number }[] = [];
  const note = (entries: readonly { readonly duration: number; readonly detail?: unknown }[]): void => {
    for (const { duration, detail } of entries)
      collections.push({ isMajor: (detail as { kind?: number }).kind === majorKind, ms: duration });
  };
  const observer = new PerformanceObserver((list) => note(list.getEntries()));
  observer.observe({ entryTypes: ["gc"] });
  histogram.enable();
  return () => {
    histogram.disable();
    note(observer.takeRecords());
    observer.disconnect();
    const ms = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolutionMs);
    return {
      p50Ms: ms(histogram.percentile(50)),
      p99Ms: ms(histogram.percentile(99)),
      p999Ms: ms(histogram.percentile(99.9)),
      maxMs: ms(histogram.max),
      majorCollections: collections.filter(({ isMajor }) => isMajor).length,
      maxCollectionMs: Math.max(0, ...collections.map((one) => one.ms)),
    };
  };
}

const file = process.env["PLIMSOLL_BENCH_PROBE"];
if (file !== undefined) {
  let end: (() => Delays) | undefined;
  process.on("SIGUSR2", () => {
    if (end === undefined) {
      end = watchDelays();
      return;
    }
    // Whoever waits for the file finds it whole.
    writeFileSync(`${file}.part`, JSON.stringify(end()));
    renameSync(`${file}.part`, file);
    end = undefined;
  });
}
