// The pods that the same queries read: scraped in rounds for as long as one of the queries is asked for.
import { orAborted } from "@plimsoll/component-base";
import type { QueryResult } from "@plimsoll/prometheus";
import { evaluate } from "../evaluate/evaluate.ts";
import type { Plan } from "../evaluate/plan.ts";
import type { LiveMetricsOptions, LiveQuery, LiveResult, Window } from "./query.ts";
import { createReads, failureOf, type Reads } from "./reads.ts";
import { createRounds, type Round } from "./rounds.ts";
import { createUses, type Use } from "./uses.ts";

export interface Group {
  known(query: LiveQuery): LiveResult | undefined;
  get(query: LiveQuery, signal: AbortSignal): Promise<LiveResult>;
  stop(): void;
}

export interface GroupParts extends LiveMetricsOptions {
  /** By how much intervals are longer than asked. */
  readonly factor: () => number;
  readonly onPace: (group: object, scrapesPerSecond: number) => void;
  readonly onStopped: () => void;
}

export function createGroup(first: LiveQuery, parts: GroupParts): Group {
  const window = parts.openWindow(first.namespace);
  const uses = createUses(parts.clock, parts.minIntervalMs);
  const reads = createReads();
  const waiting = createWaiters();
  const intervalMs = (): number => uses.intervalMs() * parts.factor();
  let newest: Round | undefined;
  let isStopped = false;

  const rounds = createRounds({
    ...parts,
    pages: window,
    find: () => (uses.newest ?? first).find(),
    intervalMs(targets) {
      parts.onPace(self, targets / (uses.intervalMs() / 1000));
      return intervalMs();
    },
    // More pods than the limits allow are not scraped in one burst.
    spreadMs: () => (parts.factor() > 1 ? intervalMs() / 2 : 0),
    onRound(round) {
      newest = round;
      reads.ended(round);
      uses.ended(round);
      const left = uses.dropIdle();
      if (left?.length === 0) self.stop();
      else if (left !== undefined) window.want(left);
      waiting.wake();
    },
  });

  const use = (query: LiveQuery): Use =>
    // The round that is under way may have read some pages already.
    uses.of(query, rounds.begun() + 1, (plans) => {
      window.want(plans);
      rounds.start();
    });

  const self: Group = {
    known(query) {
      if (isStopped) return { ok: false, message: "the adapter is stopping", isNewest: () => false };
      const one = use(query);
      const round = newest;
      if (round === undefined) return undefined;
      const isNewest = (): boolean => newest === round;
      const message = failureOf(round) ?? unfilled(query.plan, one, round, intervalMs());
      if (message !== undefined) return message === "soon" ? undefined : { ok: false, message, isNewest };
      if (one.last?.round !== round)
        one.last = { round, result: answer({ plan: query.plan, round, window, reads, isNewest }) };
      return one.last.result;
    },
    get: (query, signal) => waiting.until(() => self.known(query), signal),
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

interface Answered {
  readonly plan: Plan;
  readonly round: Round;
  readonly window: Window;
  readonly reads: Reads;
  readonly isNewest: () => boolean;
}

function answer({ plan, round, window, reads, isNewest }: Answered): LiveResult {
  const { atMs, wallMs } = round;
  const evaluated = evaluate(plan, { atMs, seriesOf: (selector) => window.seriesOf(selector) });
  if (!evaluated.ok) return { ok: false, message: evaluated.message, isNewest };
  const { ok, ...result } = evaluated;
  const missing = reads.missing(plan, round);
  const whole = { ...atTime(result, wallMs), warnings: [], infos: [] };
  return { ok, result: missing === undefined ? whole : { ...whole, missing }, isNewest };
}

function atTime(result: QueryResult, atMs: number): QueryResult {
  if (result.type !== "vector") return { ...result, atMs } as QueryResult;
  return { ...result, samples: result.samples.map((sample) => ({ ...sample, atMs })) };
}

/** A request waits so long for a window to be full. */
const maxWaitMs = 10_000;

/**
 * Why there is no value yet; "soon" where that is worth waiting for. A window that is half full has half of the rate, which would scale down.
 */
function unfilled(
  { longestRangeMs }: Plan,
  { fromMs }: Use,
  round: Round,
  intervalMs: number,
): string | undefined {
  const range = `${longestRangeMs / 1000}s`;
  if (longestRangeMs > 0 && longestRangeMs < 2 * intervalMs)
    return `the pods are scraped every ${Math.round(intervalMs / 1000)}s, as there are more of them than the limits allow or the least interval is longer, and the range ${range} needs two scrapes: use a longer one`;
  if (fromMs === undefined) return "soon";
  const leftMs = longestRangeMs - intervalMs - (round.atMs - fromMs);
  if (leftMs <= 0) return undefined;
  return leftMs <= maxWaitMs ? "soon" : `the window of ${range} is full in ${Math.round(leftMs / 1000)}s`;
}

function createWaiters() {
  const waiting = new Set<() => void>();
  return {
    /** Looks each time that it is woken. @throws the reason of the signal */
    async until<T>(look: () => T | undefined, signal: AbortSignal): Promise<T> {
      for (;;) {
        const found = look();
        if (found !== undefined) return found;
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.add(resolve);
        try {
          await orAborted(signal, promise);
        } finally {
          waiting.delete(resolve);
        }
      }
    },
    wake() {
      for (const resolve of waiting) resolve();
    },
  };
}
