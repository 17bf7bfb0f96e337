// The queries of a group of pods, and when each was last asked for.
import { type Clock, steadyNowMs } from "@plimsoll/component-base";
import type { Plan } from "../evaluate/plan.ts";
import type { LiveQuery } from "./query.ts";
import type { Round } from "./rounds.ts";

/** One query. */
export interface Use {
  /** The first round that keeps what it wants. */
  readonly since: number;
  /** From when on the window has all; undefined before that round has ended. */
  readonly fromMs: number | undefined;
  /** How many wait for it: it is not idle then. */
  waiting: number;
}

export type Uses = ReturnType<typeof createUses>;

interface UseNow {
  readonly nextRound: number;
  /** It is idle as soon as nobody waits for it [false]. */
  readonly isCheck?: boolean | undefined;
}

/** The time from the last request to the end of scraping: requests may come once an interval. */
const idleMs = ({ intervalMs }: LiveQuery): number => Math.max(60_000, 2.5 * intervalMs);
/** From the end of a round to the request. */
const leadMs = 100;
/** Of the interval: how much a request that comes once an interval can be early or late, and how far one round moves. */
const play = 0.1;

interface Asked extends Use {
  askedAt: number;
  /** Between the last requests that were not of the same evaluation. */
  gapMs: number;
  fromMs: number | undefined;
}

export function createUses(clock: Clock, minIntervalMs: number) {
  const uses = new Map<LiveQuery, Asked>();
  const plans = (): readonly Plan[] => [...uses.keys()].map(({ plan }) => plan);
  return {
    /** Somebody asks for it. @param onNew with the plans of all, when nobody has lately */
    of(
      query: LiveQuery,
      { nextRound, isCheck = false }: UseNow,
      onNew: (plans: readonly Plan[]) => void,
    ): Use {
      const askedAt = isCheck ? -Infinity : steadyNowMs(clock);
      const known = uses.get(query);
      if (known !== undefined) {
        const gapMs = askedAt - known.askedAt;
        if (gapMs > query.intervalMs / 2) Object.assign(known, { askedAt, gapMs });
        return known;
      }
      // Rules are compiled anew when sources change: what the former object kept is of use.
      const [, { since = nextRound, fromMs } = {}] =
        [...uses].find(([other]) => other.plan.query === query.plan.query) ?? [];
      const added = { askedAt, gapMs: 0, since, fromMs, waiting: 0 };
      uses.set(query, added);
      onNew(plans());
      return added;
    },
    /** One of them; all find the same pods. */
    get newest(): LiveQuery | undefined {
      return [...uses.keys()].at(-1);
    },
    /** The shortest that one asks for. */
    intervalMs: (): number =>
      Math.max(minIntervalMs, Math.min(...[...uses.keys()].map((one) => one.intervalMs))),
    /** How far to move a round that would end then, so that it ends just before a request comes: 0 for irregular requests. */
    shiftMs(endMs: number, intervalMs: number): number {
      const isRegular = ({ gapMs }: Asked): boolean => Math.abs(gapMs - intervalMs) <= play * intervalMs;
      const one = [...uses.values()].find(isRegular);
      if (one === undefined) return 0;
      const aheadMs = (one.askedAt - leadMs - endMs) % intervalMs;
      const nearestMs = aheadMs - intervalMs * Math.round(aheadMs / intervalMs);
      return Math.max(-play * intervalMs, Math.min(play * intervalMs, nearestMs));
    },
    /** @param isBroken the rounds before it are not part of its windows */
    ended({ number, atMs, found }: Round, isBroken: boolean): void {
      for (const one of uses.values())
        if (one.since <= number && (isBroken || !found.ok || one.fromMs === undefined))
          one.fromMs = found.ok ? atMs : undefined;
    },
    /** Forgets those that nobody has asked for lately. @returns the plans of the others, when there were some */
    dropIdle(): readonly Plan[] | undefined {
      const now = steadyNowMs(clock);
      const idle = [...uses].filter(([query, one]) => one.waiting === 0 && now - one.askedAt > idleMs(query));
      for (const [query] of idle) uses.delete(query);
      return idle.length === 0 ? undefined : plans();
    },
  };
}
