// The queries of a group of pods, and when each was last asked for.
import { type Clock, steadyNowMs } from "@plimsoll/component-base";
import type { Plan } from "../evaluate/plan.ts";
import type { LiveQuery, LiveResult } from "./query.ts";
import type { Round } from "./rounds.ts";

/** One query. */
export interface Use {
  /** The first round that keeps what it wants. */
  readonly since: number;
  /** The time of that round; undefined before it has ended. */
  readonly fromMs: number | undefined;
  /** Of the last round that it was asked after. */
  last: { readonly round: Round; readonly result: LiveResult } | undefined;
}

export interface Uses {
  /** Somebody asks for it. @param onNew with the plans of all, when nobody has lately */
  of(query: LiveQuery, nextRound: number, onNew: (plans: readonly Plan[]) => void): Use;
  /** One of them; all find the same pods. */
  readonly newest: LiveQuery | undefined;
  /** The shortest that one asks for. */
  intervalMs(): number;
  ended(round: Round): void;
  /** Forgets those that nobody has asked for lately. @returns the plans of the others, when there were some */
  dropIdle(): readonly Plan[] | undefined;
}

/** Scraping ends so long after the last request. */
const idleMs = 60_000;

export function createUses(clock: Clock, minIntervalMs: number): Uses {
  const uses = new Map<LiveQuery, Use & { askedAt: number; fromMs: number | undefined }>();
  const plans = (): readonly Plan[] => [...uses.keys()].map(({ plan }) => plan);
  return {
    of(query, nextRound, onNew) {
      const askedAt = steadyNowMs(clock);
      const known = uses.get(query);
      if (known !== undefined) {
        known.askedAt = askedAt;
        return known;
      }
      const added = { askedAt, since: nextRound, fromMs: undefined, last: undefined };
      uses.set(query, added);
      onNew(plans());
      return added;
    },
    get newest() {
      return [...uses.keys()].at(-1);
    },
    intervalMs: () => Math.max(minIntervalMs, Math.min(...[...uses.keys()].map((one) => one.intervalMs))),
    ended({ number, atMs }) {
      for (const one of uses.values()) if (one.since === number) one.fromMs = atMs;
    },
    dropIdle() {
      const now = steadyNowMs(clock);
      const idle = [...uses].filter(([, { askedAt }]) => now - askedAt > idleMs);
      for (const [query] of idle) uses.delete(query);
      return idle.length === 0 ? undefined : plans();
    },
  };
}
