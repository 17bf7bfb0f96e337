// Times without samples: short ones are bridged and marked, long ones left out, and too much of them is refused.
import type { RecordedSpan } from "../replay/recording.ts";
import { HistoryError, instantText } from "./errors.ts";

/** A longer time without samples is not bridged. */
export const maxBridgedMs = 300_000;
const maxMissingShare = 0.1;
/** A scrape that is late, or one that was lost, does not count as a gap. */
const gapFactor = 2.5;
const minuteMs = 60_000;

/** The usual distance of neighbors. */
export function usualDistance(atMs: readonly number[], otherwise: number): number {
  const distances = atMs.slice(1, 10_001).map((at, n) => at - (atMs[n] ?? 0));
  return distances.toSorted((a, b) => a - b)[distances.length >>> 1] ?? otherwise;
}

/** Spans without samples between samples, and to the end of the span. */
export function gapsOf(
  atMs: readonly number[],
  { fromMs, toMs }: RecordedSpan,
  usualMs: number,
): readonly RecordedSpan[] {
  const maxDistanceMs = gapFactor * usualMs;
  const gaps: RecordedSpan[] = [];
  let last = fromMs;
  for (const at of [...atMs, toMs]) {
    if (at - last > maxDistanceMs) gaps.push({ fromMs: last, toMs: at });
    last = Math.max(last, at);
  }
  return gaps;
}

/** How much of the span is left out because no sample is near. */
export function missingMs(gaps: readonly RecordedSpan[]): number {
  const lengths = gaps.map(({ fromMs, toMs }) => toMs - fromMs).filter((length) => length > maxBridgedMs);
  return lengths.reduce((sum, length) => sum + length, 0);
}

/** @throws HistoryError when more than a tenth is missing, or the first sample is later than asked, unless partial */
export function checkWhole(
  what: string,
  atMs: readonly number[],
  {
    span,
    usualMs,
    isPartial,
  }: { readonly span: RecordedSpan; readonly usualMs: number; readonly isPartial: boolean },
): {
  readonly span: RecordedSpan;
  readonly gaps: readonly RecordedSpan[];
  readonly notes: readonly string[];
} {
  const [firstMs = span.toMs] = atMs;
  const notes: string[] = [];
  let own = span;
  if (firstMs - span.fromMs > Math.max(maxBridgedMs, 2 * usualMs)) {
    const message = `${what} begins at ${instantText(firstMs)}, after the requested ${instantText(span.fromMs)}`;
    if (!isPartial) throw new HistoryError("retention", `${message}: read from there, or use --partial`);
    own = { fromMs: firstMs, toMs: span.toMs };
    notes.push(`${message}: reading from there`);
  }
  const gaps = gapsOf(atMs, own, usualMs);
  const missing = missingMs(gaps);
  const share = missing / Math.max(1, own.toMs - own.fromMs);
  const percent = (share * 100).toFixed(1);
  if (share > maxMissingShare && !isPartial) {
    const [first] = gaps.filter(({ fromMs, toMs }) => toMs - fromMs > maxBridgedMs);
    const since =
      first === undefined ? "" : `, first from ${instantText(first.fromMs)} to ${instantText(first.toMs)}`;
    const message = `${what} is missing for ${percent} % of the time${since}: read a time without gaps, or use --partial`;
    throw new HistoryError("gaps", message);
  }
  if (missing > 0)
    notes.push(`${what} is missing for ${Math.round(missing / minuteMs)} min, which is left out`);
  return { span: own, gaps, notes };
}
