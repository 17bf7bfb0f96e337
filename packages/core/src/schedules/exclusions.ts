import { instantOfLocal, reachedLocal, type ZoneOffset } from "../cron/zone.ts";

/** Times at which an entry imposes nothing. */
export interface Exclusions {
  /** Days since 1970, both ends included; sorted, apart from each other. */
  readonly days: readonly Span[];
  /** 0 is Sunday. */
  readonly weekdays: ReadonlySet<number>;
  /** Milliseconds since 1970, the end not included; sorted, apart from each other. */
  readonly spans: readonly Span[];
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Sorts spans, and joins those between which there is no more than `gap`. */
export function joinSpans(spans: readonly Span[], gap: number): readonly Span[] {
  const joined: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last === undefined || span.from > last.to + gap) joined.push(span);
    else joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
  }
  return joined;
}

export interface Exclusion {
  readonly isExcluded: boolean;
  /** When that changes; undefined: never. */
  readonly untilMs: number | undefined;
  /** Where it is not excluded: since when. */
  readonly sinceMs: number;
}

const dayMs = 86_400_000;
/** Reasons that take turns for longer count as going on for ever. */
const mostTurns = 1000;
const nothing: Exclusion = { isExcluded: false, untilMs: undefined, sinceMs: Number.NEGATIVE_INFINITY };

/** Whether an instant is excluded. */
export function exclusionAt(exclusions: Exclusions, atMs: number, offset: ZoneOffset): Exclusion {
  const { days, weekdays, spans } = exclusions;
  if (days.length === 0 && weekdays.size === 0 && spans.length === 0) return nothing;
  const first = reasonAt(exclusions, atMs, offset);
  if (!first.isExcluded) return first;
  let { untilMs } = first;
  // One reason may take over from another.
  for (let turn = 0; turn < mostTurns && untilMs !== undefined; turn++) {
    const next = reasonAt(exclusions, untilMs, offset);
    if (!next.isExcluded) return { ...first, untilMs };
    untilMs = next.untilMs;
  }
  return { ...first, untilMs: undefined };
}

/** The same by one reason, which may end before another begins. */
function reasonAt(exclusions: Exclusions, atMs: number, offset: ZoneOffset): Exclusion {
  const excludedUntil = (untilMs: number | undefined) => ({ ...nothing, isExcluded: true, untilMs });
  const span = exclusions.spans.find(({ to }) => to > atMs);
  if (span !== undefined && span.from <= atMs) return excludedUntil(span.to);
  const day = Math.floor(reachedLocal(atMs, offset) / dayMs);
  const startOf = (other: number) => instantOfLocal(other * dayMs, offset);
  const range = exclusions.days.find(({ to }) => to >= day);
  if (range !== undefined && range.from <= day) return excludedUntil(startOf(range.to + 1));
  const isOff = (other: number) => exclusions.weekdays.has((((other + 4) % 7) + 7) % 7);
  const dayWhere = (answer: boolean, direction: 1 | -1) =>
    [1, 2, 3, 4, 5, 6, 7].map((n) => day + n * direction).find((other) => isOff(other) === answer);
  if (isOff(day)) {
    const change = dayWhere(false, 1);
    return excludedUntil(change === undefined ? undefined : startOf(change));
  }
  const [nextOff, lastOff] = [dayWhere(true, 1), dayWhere(true, -1)];
  const begins = [span?.from, range && startOf(range.from), nextOff && startOf(nextOff)];
  const ended = [
    exclusions.spans.findLast(({ to }) => to <= atMs)?.to,
    ...[exclusions.days.findLast(({ to }) => to < day)?.to, lastOff].map((last) => last && startOf(last + 1)),
  ];
  const known = (instants: readonly (number | undefined)[]) => instants.filter((ms) => ms !== undefined);
  const untilMs = Math.min(...known(begins));
  return {
    isExcluded: false,
    untilMs: Number.isFinite(untilMs) ? untilMs : undefined,
    sinceMs: Math.max(...known(ended)),
  };
}
