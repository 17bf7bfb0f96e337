// What is recorded around a time without scrapes: a mean over a window with a missing part is too low.
import type { RecordedMetric, RecordedSpan, Recording } from "../replay/recording.ts";
import type { Measuring } from "./observations.ts";
import { usualDistance } from "./series.ts";

/** A scrape that is late, or one that was lost, does not count as a gap. */
const gapFactor = 2.5;

/** Without the samples whose windows reach into a gap of the samples, or into a shorter one of the scrapes. */
export function withoutOutages(
  metric: RecordedMetric,
  recording: Recording,
  { windowMs, scrapeMs }: Measuring,
): RecordedMetric {
  const shorter = gapsIn(recording.status).filter(({ fromMs, toMs }) => toMs - fromMs <= windowMs);
  const samples = without(metric.samples, widened(shorter, windowMs));
  // Two scrapes are in the windows of its first sample and of its last.
  return { ...metric, samples: withoutEdges(samples, Math.max(0, windowMs - scrapeMs)) };
}

/** Without what lies so near to a gap. */
export function withoutEdges<T extends Dated>(items: readonly T[], marginMs: number): readonly T[] {
  return without(items, widened(gapsIn(items), marginMs));
}

interface Dated {
  readonly atMs: number;
}

function without<T extends Dated>(items: readonly T[], spans: readonly RecordedSpan[]): readonly T[] {
  return items.filter(({ atMs }) => !spans.some(({ fromMs, toMs }) => fromMs < atMs && atMs < toMs));
}

function widened(spans: readonly RecordedSpan[], byMs: number): readonly RecordedSpan[] {
  return spans.map(({ fromMs, toMs }) => ({ fromMs: fromMs - byMs, toMs: toMs + byMs }));
}

function gapsIn(items: readonly Dated[]): readonly RecordedSpan[] {
  const instants = items.map(({ atMs }) => atMs);
  const maxMs = gapFactor * usualDistance(instants);
  return instants.slice(1).flatMap((toMs, at): readonly RecordedSpan[] => {
    const fromMs = instants[at] ?? toMs;
    return toMs - fromMs > maxMs ? [{ fromMs, toMs }] : [];
  });
}
