// The samples of one series: a window that slides over two arrays, in place.
import type { Samples } from "../evaluate/series.ts";

const FIRST_CAPACITY = 16;

export interface Sample {
  readonly ms: number;
  readonly value: number;
  /** The series ends here, until its next sample. */
  readonly isStale: boolean;
}

/** Samples that can be added to. Those of the last evaluation move when samples are added: read, and forget. */
export interface SampleWindow {
  readonly samples: Samples;
  /** Places for samples that it takes from the memory. */
  readonly capacity: number;
  /** What `add` would let it grow to. */
  capacityAfterAdd(oldestMs: number): number;
  /** Drops what is not newer than `oldestMs`, and adds a sample that is newer than all; false when it is not. */
  add(sample: Sample, oldestMs: number): boolean;
  /** Marks the end of the series in the place of its newest sample. */
  endAt(ms: number): void;
}

export function createSampleWindow(): SampleWindow {
  const held: Held = {
    times: new Float64Array(FIRST_CAPACITY),
    values: new Float64Array(FIRST_CAPACITY),
    stale: new Uint8Array(FIRST_CAPACITY),
    from: 0,
    to: 0,
  };
  return {
    samples: held,
    get capacity() {
      return held.times.length;
    },
    capacityAfterAdd(oldestMs) {
      drop(held, oldestMs);
      return neededBy(held);
    },
    add({ ms, value, isStale }, oldestMs) {
      if (held.to > held.from && ms <= (held.times[held.to - 1] ?? 0)) return false;
      drop(held, oldestMs);
      if (held.to === held.times.length) move(held, neededBy(held));
      held.times[held.to] = ms;
      held.values[held.to] = value;
      held.stale[held.to] = isStale ? 1 : 0;
      held.to += 1;
      return true;
    },
    endAt(ms) {
      held.times[held.to - 1] = ms;
      held.stale[held.to - 1] = 1;
    },
  };
}

type Held = { -readonly [K in keyof Samples]: Samples[K] };

function drop(held: Held, oldestMs: number): void {
  while (held.from < held.to && (held.times[held.from] ?? 0) <= oldestMs) held.from += 1;
}

/** For one more sample. Half of the places are free after a move, so that a move is rare. */
function neededBy({ times: { length }, from, to }: Held): number {
  return to < length || (to - from + 1) * 2 <= length ? length : length * 2;
}

/** To the front, and into larger arrays where they have to be. */
function move(held: Held, capacity: number): void {
  const { times, values, stale, from, to } = held;
  if (capacity > times.length) {
    held.times = new Float64Array(capacity);
    held.values = new Float64Array(capacity);
    held.stale = new Uint8Array(capacity);
  }
  held.times.set(times.subarray(from, to));
  held.values.set(values.subarray(from, to));
  held.stale.set(stale.subarray(from, to));
  held.from = 0;
  held.to = to - from;
}
