import type { HpaMemory } from "@plimsoll/core";
import type { Clock } from "@plimsoll/kube";
import type { HpaRecord } from "./records.ts";

/** Less is a clock that is slewed, which does not matter to windows of minutes. */
const leastJumpMs = 1000;

/**
 * Windows and periods are lengths of time: when the wall clock was set since the last evaluation, what is remembered
 * is moved along, so that it is as old as it really is.
 */
export function followClock(record: HpaRecord, clock: Clock): void {
  if (clock.steadyMs === undefined) return;
  const offsetMs = clock.nowMs() - clock.steadyMs();
  const jumpMs = record.clockOffsetMs === undefined ? 0 : offsetMs - record.clockOffsetMs;
  record.clockOffsetMs = offsetMs;
  if (Math.abs(jumpMs) < leastJumpMs) return;
  const { memory, expected, gap, scaled } = record;
  if (memory !== undefined) record.memory = moved(memory, jumpMs);
  if (expected !== undefined) {
    record.expected = { ...expected, otherwise: moved(expected.otherwise, jumpMs) };
  }
  if (gap !== undefined) record.gap = { ...gap, lastScaleMs: gap.lastScaleMs + jumpMs };
  if (scaled !== undefined) record.scaled = { ...scaled, atMs: scaled.atMs + jumpMs };
  record.disputes = record.disputes.map((atMs) => atMs + jumpMs);
  record.good = record.good.map((reading) => reading && { ...reading, atMs: reading.atMs + jumpMs });
}

function moved(memory: HpaMemory, byMs: number): HpaMemory {
  const move = <T extends { readonly atMs: number }>(entries: readonly T[]): readonly T[] =>
    entries.map((entry) => ({ ...entry, atMs: entry.atMs + byMs }));
  return {
    ...memory,
    recommendations: move(memory.recommendations),
    scaleUpEvents: move(memory.scaleUpEvents),
    scaleDownEvents: move(memory.scaleDownEvents),
  };
}
