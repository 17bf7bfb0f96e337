// Converts between local time and UTC.

/** What to add to UTC for local time at an instant, in milliseconds; injected, as zones are data. */
export type ZoneOffset = (instantMs: number) => number;

/** Further than any offset or gap reaches. */
const marginMs = 36 * 3_600_000;

/**
 * The first instant at which a zone's clocks show a local time (given as if it were UTC); for a time that they
 * skip, the first instant after the gap.
 */
export function instantOfLocal(localMs: number, offsetMs: ZoneOffset): number {
  const before = offsetMs(localMs - marginMs);
  const after = offsetMs(localMs + marginMs);
  const early = localMs - before;
  if (before === after || offsetMs(early) === before) return early;
  const late = localMs - after;
  if (offsetMs(late) === after) return late;
  return gapEnd(late, early, before, offsetMs);
}

/** The clocks change somewhere between the two; halving finds where, to the second. */
function gapEnd(fromMs: number, toMs: number, before: number, offsetMs: ZoneOffset): number {
  let low = Math.floor(fromMs / 1000);
  let high = Math.ceil(toMs / 1000);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetMs(middle * 1000) === before) low = middle;
    else high = middle;
  }
  return high * 1000;
}

/**
 * How far a zone's clocks have come by an instant: the latest local time whose first instant is not after it. That
 * is what they show, but where they were set back the second hour adds nothing to the first.
 */
export function reachedLocal(instantMs: number, offsetMs: ZoneOffset): number {
  const local = instantMs + offsetMs(instantMs);
  if (instantOfLocal(local, offsetMs) >= instantMs) return local;
  const before = offsetMs(instantMs - marginMs);
  return gapEnd(instantMs - marginMs, instantMs, before, offsetMs) + before - 1;
}

const blockMs = 2 * 86_400_000;
const maxBlocks = 2000;

/** By the offset that is remembered: all entries in one zone share what was read. */
const remembered = new WeakMap<ZoneOffset, ZoneOffset>();

/** The same offsets, read once per two days where they are the same at both ends: zones are slow to read. */
export function rememberedOffset(offsetMs: ZoneOffset): ZoneOffset {
  const known = remembered.get(offsetMs);
  if (known !== undefined) return known;
  const offset = sampledOffset(offsetMs, blockMs, maxBlocks);
  remembered.set(offsetMs, offset).set(offset, offset);
  return offset;
}

/** The same offsets, read at the ends of stretches of time; within a stretch only where its ends differ. */
export function sampledOffset(offsetMs: ZoneOffset, stretchMs: number, maxSamples: number): ZoneOffset {
  const startOf = memoize((stretch) => offsetMs(stretch * stretchMs), maxSamples);
  return (instantMs) => {
    const stretch = Math.floor(instantMs / stretchMs);
    const start = startOf(stretch);
    return startOf(stretch + 1) === start ? start : offsetMs(instantMs);
  };
}

/** The same function, which computes each result once; it forgets all of them when they would be more than `maxResults`. */
export function memoize<V>(compute: (key: number) => V, maxResults: number): (key: number) => V {
  const known = new Map<number, V>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const result = compute(key);
    if (known.size >= maxResults) known.clear();
    known.set(key, result);
    return result;
  };
}
