// Times that are excluded from a schedule.
import { instantOfLocal, reachedLocal, type ZoneOffset } from "../../values/cron/zone.ts";
import { dayMs } from "../../values/units.ts";
import type { Work } from "./work.ts";

/** Times at which an entry imposes nothing. */
export interface Exclusions {
  /** Days since 1970, both ends included; sorted, apart from each other. */
  readonly days: Spans;
  /** 0 is Sunday. */
  readonly weekdays: ReadonlySet<number>;
  /** Milliseconds since 1970, the end not included; sorted, apart from each other. */
  readonly spans: Spans;
}

/** Beginnings, each followed by its end. Kept for as long as an object lives: 16 bytes each. */
export type Spans = Float64Array;

export interface Span {
  readonly from: number;
  readonly to: number;
}

const none: Spans = new Float64Array();

/** Sorts spans, and joins those between which there is no more than `gap`. */
export function joinSpans(spans: readonly Span[], gap: number): Spans {
  if (spans.length === 0) return none;
  const joined: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last === undefined || span.from > last.to + gap) joined.push(span);
    else joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
  }
  return Float64Array.from(joined.flatMap(({ from, to }) => [from, to]));
}

function spanAt(spans: Spans, index: number): Span | undefined {
  const [from, to] = [spans[2 * index], spans[2 * index + 1]];
  return from === undefined || to === undefined ? undefined : { from, to };
}

export interface Exclusion {
  readonly isExcluded: boolean;
  /** Excluded: when this reason ends, and another may follow. Not excluded: when it is next. Infinite: never. */
  readonly untilMs: number;
}

/** Whether an instant is excluded. */
export function exclusionAt(
  exclusions: Exclusions,
  atMs: number,
  zone: { readonly offset: ZoneOffset; readonly work: Work },
): Exclusion {
  if (isEmpty(exclusions)) return { isExcluded: false, untilMs: Infinity };
  const { days, spans } = exclusions;
  const span = spanAt(spans, firstAfter(spans, atMs, zone.work));
  if (span !== undefined && span.from <= atMs) return { isExcluded: true, untilMs: span.to };
  const day = Math.floor(reachedLocal(atMs, zone.offset) / dayMs);
  const startOf = (other: number) => instantOfLocal(other * dayMs, zone.offset);
  const range = spanAt(days, firstAfter(days, day - 1, zone.work));
  if (range !== undefined && range.from <= day) return { isExcluded: true, untilMs: startOf(range.to + 1) };
  if (isOff(exclusions, day)) {
    const change = dayWhere(exclusions, day, { isExcluded: false, direction: 1 });
    return { isExcluded: true, untilMs: change === undefined ? Infinity : startOf(change) };
  }
  const nextOff = dayWhere(exclusions, day, { isExcluded: true, direction: 1 });
  const nextDay = Math.min(range?.from ?? Infinity, nextOff ?? Infinity);
  const dayStart = nextDay === Infinity ? Infinity : startOf(nextDay);
  return { isExcluded: false, untilMs: Math.min(span?.from ?? Infinity, dayStart) };
}

/** Since when an instant that is not excluded has not been; negative infinity: always. */
export function freeSince(
  exclusions: Exclusions,
  atMs: number,
  zone: { readonly offset: ZoneOffset; readonly work: Work },
): number {
  if (isEmpty(exclusions)) return -Infinity;
  const { days, spans } = exclusions;
  const span = spanAt(spans, firstAfter(spans, atMs, zone.work) - 1);
  const day = Math.floor(reachedLocal(atMs, zone.offset) / dayMs);
  const range = spanAt(days, firstAfter(days, day - 1, zone.work) - 1);
  const lastOff = dayWhere(exclusions, day, { isExcluded: true, direction: -1 });
  const lastDay = Math.max(range?.to ?? -Infinity, lastOff ?? -Infinity);
  const dayEnd = lastDay === -Infinity ? -Infinity : instantOfLocal((lastDay + 1) * dayMs, zone.offset);
  return Math.max(span?.to ?? -Infinity, dayEnd);
}

function isEmpty({ days, weekdays, spans }: Exclusions): boolean {
  return days.length === 0 && weekdays.size === 0 && spans.length === 0;
}

/** The index of the first span that ends after a value; how many there are when there is none. */
function firstAfter(spans: Spans, value: number, work: Work): number {
  let [low, high] = [0, spans.length / 2];
  while (low < high) {
    work.spent++;
    const middle = (low + high) >>> 1;
    if ((spans[2 * middle + 1] ?? Infinity) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

function isOff({ weekdays }: Exclusions, day: number): boolean {
  return weekdays.has((((day + 4) % 7) + 7) % 7);
}

/** The nearest other day within a week that its weekday excludes, or does not. */
function dayWhere(
  exclusions: Exclusions,
  day: number,
  { isExcluded, direction }: { readonly isExcluded: boolean; readonly direction: 1 | -1 },
): number | undefined {
  for (let n = 1; n <= 7; n++) {
    if (isOff(exclusions, day + n * direction) === isExcluded) return day + n * direction;
  }
  return undefined;
}
