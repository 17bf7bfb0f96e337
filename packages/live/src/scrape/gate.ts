// Lets the scrapes of a namespace begin: a few at a time, and fewer when its pages take long to read.
import { type Clock, getOrAdd, sleep, steadyNowMs } from "@plimsoll/component-base";

interface Entrance {
  inside: number;
  /** Those of late pods. */
  late: number;
  ended: number;
  /** When the next one may begin. */
  freeAt: number;
  /** Of the next one. */
  expectedCost: number;
  readonly waiting: (() => void)[];
}

/** Scrapes of a namespace that are under way: at first, when nobody knows what its pages cost, and later. A page takes up to 3 MB. */
const [firstTogether, maxTogether] = [8, 16];
/** The others are for pods that answer. */
const maxLate = 8;

/** @param perSecond what the pages of a namespace may cost */
export function createGate(clock: Clock, perSecond: number) {
  const entrances = new Map<string, Entrance>();
  const charge = (own: Entrance, cost: number): void => {
    // An ordinary page is part of the pace.
    own.freeAt = Math.max(own.freeAt, steadyNowMs(clock)) + (cost * 1000) / perSecond;
  };
  return {
    /** @param isLate the pod kept the last scrape waiting. @returns what ends the scrape, with its cost in ordinary pages; undefined: not now */
    async enter(namespace: string, isLate = false): Promise<((cost: number) => void) | undefined> {
      const own = getOrAdd(entrances, namespace, () => ({
        inside: 0,
        late: 0,
        ended: 0,
        freeAt: 0,
        expectedCost: 1,
        waiting: [],
      }));
      if (isLate && own.late >= maxLate) return undefined;
      own.late += Number(isLate);
      while (own.inside >= Math.min(maxTogether, firstTogether + own.ended))
        await new Promise<void>((resolve) => own.waiting.push(resolve));
      own.inside += 1;
      while (own.freeAt > steadyNowMs(clock)) await sleep(clock, own.freeAt - steadyNowMs(clock));
      const expected = own.expectedCost;
      charge(own, expected - 1);
      return (cost) => {
        own.inside -= 1;
        own.late -= Number(isLate);
        own.ended += 1;
        charge(own, cost - expected);
        own.expectedCost = Math.max(cost, 1 + 0.9 * (own.expectedCost - 1));
        for (const resolve of own.waiting.splice(0, 2)) resolve();
      };
    },
    /** Nothing of it is scraped any more. */
    forget: (namespace: string) => void entrances.delete(namespace),
  };
}
