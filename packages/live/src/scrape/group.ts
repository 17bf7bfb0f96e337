// The pods that the same queries read: scraped in rounds for as long as one of the queries is asked for.
import { orAborted } from "@plimsoll/component-base";
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
      if (newest === undefined || !isReady(query.plan, one, newest, intervalMs())) return undefined;
      const round = newest;
      if (one.last?.round !== round) {
        const answered = { plan: query.plan, round, window, reads, isNewest: () => newest === round };
        one.last = { round, result: answer(answered) };
      }
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
  const message = failureOf(round);
  if (message !== undefined) return { ok: false, message, isNewest };
  const { atMs } = round;
  const evaluated = evaluate(plan, { atMs, seriesOf: (selector) => window.seriesOf(selector) });
  if (!evaluated.ok) return { ok: false, message: evaluated.message, isNewest };
  const { ok, ...result } = evaluated;
  const missing = reads.missing(plan, round);
  const whole = { ...result, warnings: [], infos: [] };
  return { ok, result: missing === undefined ? whole : { ...whole, missing }, isNewest };
}

/** A window that is half full has half of the rate, which would scale down. */
function isReady({ longestRangeMs }: Plan, { fromMs }: Use, newest: Round, intervalMs: number): boolean {
  if (failureOf(newest) !== undefined) return true;
  return fromMs !== undefined && newest.atMs - fromMs >= longestRangeMs - intervalMs;
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
