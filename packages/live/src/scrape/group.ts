// The pods that the same queries read: scraped in rounds for as long as one of the queries is asked for.
import { type Clock, orAborted, steadyNowMs } from "@plimsoll/component-base";
import type { QueryResult } from "@plimsoll/prometheus";
import { evaluate } from "../evaluate/evaluate.ts";
import type { Plan, Selector } from "../evaluate/plan.ts";
import type { LiveSeries } from "../evaluate/series.ts";
import { valueOf } from "../labels.ts";
import { type Budget, overBudget } from "./budget.ts";
import type { LiveMetricsOptions, LiveQuery, LiveResult, Window } from "./query.ts";
import { createReads, failureOf, type Intervals, type Reads } from "./reads.ts";
import { createRounds, type Round, type RoundsOptions } from "./rounds.ts";
import { createUses, type Use, type Uses } from "./uses.ts";

export interface Group {
  known(query: LiveQuery): LiveResult | undefined;
  get(query: LiveQuery, signal: AbortSignal, isCheck?: boolean): Promise<LiveResult>;
  stop(): void;
}

export interface GroupParts extends LiveMetricsOptions {
  /** By how much intervals are longer than asked. */
  readonly factor: () => number;
  readonly budget: Budget;
  readonly enter: RoundsOptions["enter"];
  readonly onPace: (group: object, scrapesPerSecond: number) => void;
  readonly onStopped: () => void;
}

export function createGroup(first: LiveQuery, parts: GroupParts): Group {
  const window = parts.openWindow(first);
  const uses = createUses(parts.clock, parts.minIntervalMs);
  const reads = createReads();
  const waiting = createWaiters();
  const intervalMs = (): number => uses.intervalMs() * parts.factor();
  const intervals = (): Intervals => ({ intervalMs: intervalMs(), askedMs: uses.intervalMs() });
  const newest = createNewest(parts.clock, intervalMs);
  let isStopped = false;

  const rounds = createRounds({
    ...parts,
    pages: window,
    find: () => (uses.newest ?? first).find(),
    intervalMs(cost) {
      parts.onPace(self, cost / (uses.intervalMs() / 1000));
      return intervalMs();
    },
    shiftMs: (endMs) => uses.shiftMs(endMs, intervalMs()),
    // More pods than the limits allow are not scraped in one burst.
    spreadMs: () => (parts.factor() > 1 ? intervalMs() / 2 : 0),
    onRound(round) {
      reads.ended(round, intervals());
      uses.ended(round, newest.set(round));
      if (!isUsed(uses, window)) self.stop();
      waiting.wake();
    },
  });

  const use = (query: LiveQuery, isCheck?: boolean): Use =>
    // The round that is under way may have read some pages already.
    uses.of(query.whole ?? query, { nextRound: rounds.begun() + 1, isCheck }, (plans) => {
      window.want(plans);
      rounds.start();
    });

  const asked = { newest, window, reads, budget: parts.budget };
  const look = (query: LiveQuery, one: Use, waitMs = maxWaitMs): LiveResult | undefined =>
    isStopped ? stopping : newestOf(one, query, { ...asked, waitMs, intervals: intervals() });

  const self: Group = {
    known: (query) => look(query, use(query)),
    get(query, signal, isCheck) {
      const one = use(query, isCheck);
      const endMs = steadyNowMs(parts.clock) + maxCheckMs;
      const waitMs = () => (isCheck === true ? endMs - steadyNowMs(parts.clock) : maxWaitMs);
      return waiting.until(one, () => look(query, one, waitMs()), signal);
    },
    stop() {
      isStopped = true;
      rounds.stop();
      parts.onPace(self, 0);
      window.close();
      parts.onStopped();
      waiting.wake();
    },
  };
  return self;
}

export const stopping: LiveResult = { ok: false, message: "the adapter is stopping", isNewest: () => false };

/** Queries that nobody asks for are forgotten. @returns whether there are others */
function isUsed(uses: Uses, window: Window): boolean {
  const left = uses.dropIdle();
  if (left !== undefined && left.length > 0) window.want(left);
  return left?.length !== 0;
}

type Asked = Pick<Answered, "window" | "reads" | "intervals" | "budget"> & {
  readonly newest: ReturnType<typeof createNewest>;
  readonly waitMs: number;
};

/** Undefined: there is none yet. */
function newestOf(one: Use, query: LiveQuery, { newest, waitMs, ...asked }: Asked): LiveResult | undefined {
  const { round } = newest;
  if (round === undefined) return undefined;
  const isNewest = (): boolean => newest.is(round);
  const message = newest.problem(round) ?? unfilled(query.plan, one, round, { ...asked.intervals, waitMs });
  if (message !== undefined) return message === "soon" ? undefined : { ok: false, message, isNewest };
  return lastOf({ ...asked, query, round, isNewest });
}

const results = new WeakMap<LiveQuery, { readonly round: Round; readonly result: LiveResult }>();

/** Evaluated once for each round. */
function lastOf(asked: Answered): LiveResult {
  const { query, round } = asked;
  const last = results.get(query);
  if (last?.round === round) return last.result;
  const payer = query.payer ?? query.namespace;
  if (asked.budget.isSpent(payer)) return { ok: false, message: overBudget, isNewest: () => false };
  const result = answer(asked, (rows) => asked.budget.charge(payer, rows));
  results.set(query, { round, result });
  return result;
}

interface Answered {
  readonly query: LiveQuery;
  readonly round: Round;
  readonly window: Window;
  readonly reads: Reads;
  readonly intervals: Intervals;
  readonly isNewest: () => boolean;
  readonly budget: Budget;
}

/** Incomplete pods have no values, and a sum without them is marked. */
function answer(
  { query, round, window, reads, intervals, isNewest }: Answered,
  onRows: (rows: number) => void,
): LiveResult {
  const { plan, whole } = query;
  const { atMs, wallMs } = round;
  const incomplete = reads.incomplete(plan.longestRangeMs, round, intervals);
  const isWhole = ({ labels }: LiveSeries): boolean => !incomplete.has(valueOf(labels, "pod"));
  const seriesOf = (selector: Selector): readonly LiveSeries[] => {
    const kept = whole?.plan.selectors.find(({ name }) => name === selector.name);
    const found = window.seriesOf(kept ?? selector);
    onRows(found.length * (1 + selector.rangeMs / intervals.intervalMs));
    const all = kept === undefined ? found : found.filter(({ labels }) => selector.matches(labels));
    return incomplete.size === 0 ? all : all.filter(isWhole);
  };
  const evaluated = evaluate(plan, { atMs, seriesOf, maxRows });
  if (!evaluated.ok) return { ok: false, message: evaluated.message, isNewest };
  const { ok, ...result } = evaluated;
  const [missing] = incomplete.values();
  const found = { ...atTime(result, wallMs), warnings: [], infos: [] };
  return { ok, result: missing === undefined ? found : { ...found, missing }, isNewest };
}

function atTime(result: QueryResult, atMs: number): QueryResult {
  if (result.type !== "vector") return { ...result, atMs } as QueryResult;
  return { ...result, samples: result.samples.map((sample) => ({ ...sample, atMs })) };
}

/** Samples that one evaluation may read: 300 series with a window of 5 minutes, or 20,000 with one of 5 seconds. */
const maxRows = 100_000;

/** Rounds that are further apart are not of one window. */
const brokenAfterIntervals = 2.5;

/** The last round, which is in use for three intervals when no other one ends. */
function createNewest(clock: Clock, intervalMs: () => number) {
  let newest: Round | undefined;
  let endedAt = 0;
  const ageMs = (): number => steadyNowMs(clock) - endedAt;
  const isOld = (): boolean => ageMs() > 3 * intervalMs() + 2_000;
  return {
    get round() {
      return newest;
    },
    /** @returns whether it came so late that windows begin anew */
    set(round: Round): boolean {
      const sinceLastMs = round.atMs - (newest?.atMs ?? round.atMs);
      newest = round;
      endedAt = steadyNowMs(clock);
      return sinceLastMs > brokenAfterIntervals * intervalMs();
    },
    is: (round: Round): boolean => newest === round && !isOld(),
    problem: (round: Round): string | undefined =>
      isOld() ? `the pods have not been scraped for ${Math.round(ageMs() / 1000)}s` : failureOf(round),
  };
}

/** The longest that a request waits for a full window. */
const maxWaitMs = 10_000;
/** The same of a check: the longest window, and what a slow start adds. */
const maxCheckMs = 310_000;

/**
 * Why the query has no value yet; "soon" if the wait is short. A half-full window shows half the rate, which would scale down.
 */
function unfilled(
  { selectors, longestRangeMs }: Plan,
  { fromMs }: Use,
  round: Round,
  { intervalMs, askedMs, waitMs }: Intervals & Pick<Asked, "waitMs">,
): string | undefined {
  const range = `${longestRangeMs / 1000}s`;
  const shortestMs = Math.min(...selectors.map(({ rangeMs }) => (rangeMs === 0 ? Infinity : rangeMs)));
  if (shortestMs < 2 * intervalMs)
    return `the pods are scraped every ${Math.round(intervalMs / 1000)}s (--live-min-interval, or more pods than --live-namespace-scrapes and --live-scrapes allow), and the range ${shortestMs / 1000}s needs two scrapes: use a longer one`;
  if (fromMs === undefined) return "soon";
  const leftMs = longestRangeMs - askedMs - (round.atMs - fromMs);
  if (leftMs <= 0) return undefined;
  return leftMs <= waitMs ? "soon" : `the window of ${range} is full in ${Math.round(leftMs / 1000)}s`;
}

function createWaiters() {
  const waiting = new Set<() => void>();
  return {
    /** Looks each time that it is woken. @throws the reason of the signal */
    async until<T>(one: Use, look: () => T | undefined, signal: AbortSignal): Promise<T> {
      for (;;) {
        const found = look();
        if (found !== undefined) return found;
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.add(resolve);
        one.waiting += 1;
        try {
          await orAborted(signal, promise);
        } finally {
          waiting.delete(resolve);
          one.waiting -= 1;
        }
      }
    },
    wake() {
      for (const resolve of waiting) resolve();
    },
  };
}
