// The autoscaler with 10,000 objects, and what happens to it once in a while: a relist, a scrape, a storm of scales.
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "@plimsoll/testbed";
import { cpuSeconds } from "../adapter/usage.ts";
import { scrape } from "../autoscaler/sample.ts";
import type { Delays } from "../probe/delay.ts";
import { delaysDuring, type Fleet, measureWindow, startFleet, type Window } from "./fleet.ts";
import type { Session } from "./session.ts";
import { defaultPeriodSeconds as periodSeconds, podsEach as pods } from "./sizes.ts";

/** At its full size. */
export const largeObjects = 10_000;

export interface ScrapeCost {
  readonly cpuSeconds: number;
  readonly bytes: number;
}

export interface Large {
  readonly window: Window;
  readonly scrape: ScrapeCost;
  readonly delays: { readonly own: Delays; readonly bare: Delays };
  readonly fleet: Fleet;
}

/** Started once for all goals that need it; it goes on running until the session ends. */
export function measureLarge(session: Session): Promise<Large> {
  return session.once("large", async () => {
    const objects = session.objects(largeObjects);
    const fleet = await startFleet(session, { objects, pods, periodSeconds });
    session.progress(`the autoscaler has listed ${objects * pods} pods`);
    await sleep(2 * periodSeconds * 1000);
    const window = await measureWindow(fleet, 2 * periodSeconds);
    session.progress("its periods have been measured");
    const cost = await scrapeCost(fleet, window);
    session.progress("its scrape has been measured");
    const delays = await delaysDuring(fleet, () => eventfulPeriod(fleet));
    session.progress("a period with a relist has been measured");
    return { window, scrape: cost, delays, fleet };
  });
}

/** What evaluations take meanwhile is not a scrape's. */
async function scrapeCost({ pid, autoscaler }: Fleet, window: Window): Promise<ScrapeCost> {
  const rate = window.cpuSeconds / window.seconds;
  const costs: ScrapeCost[] = [];
  for (let turn = 0; turn < 5; turn++) {
    await sleep(1000);
    const [before, startedMs] = [cpuSeconds(pid), performance.now()];
    const { scrapeBytes } = await scrape(pid, autoscaler.port);
    const took = (performance.now() - startedMs) / 1000;
    const own = cpuSeconds(pid) - before - rate * took;
    costs.push({ cpuSeconds: Math.max(0, own), bytes: scrapeBytes });
  }
  const sorted = costs.toSorted((one, other) => one.cpuSeconds - other.cpuSeconds);
  const median = sorted[Math.floor(sorted.length / 2)];
  if (median === undefined) throw new Error("nothing was scraped");
  return median;
}

/** A relist of everything, a scrape, and a period of evaluations; all watches are up to date at its end. */
async function eventfulPeriod({ cluster, pid, autoscaler }: Fleet): Promise<void> {
  const startedMs = performance.now();
  const before = await cluster.counts();
  await cluster.relist();
  const isListed = async (): Promise<true | undefined> => {
    const counts = await cluster.counts();
    return (counts["list pods"] ?? 0) > (before["list pods"] ?? 0) ? true : undefined;
  };
  await until("the lists", isListed, { timeoutMs: 240_000 });
  await scrape(pid, autoscaler.port);
  await sleep(Math.max(0, startedMs + periodSeconds * 1000 - performance.now()));
}

export interface Storm {
  readonly scales: number;
  readonly lastScaleSeconds: number;
  readonly statuses: number;
  readonly statusSeconds: number;
  readonly events: number;
  readonly counted: number;
  /** Events that the process itself says it dropped. */
  readonly reportedLost: number;
  readonly seconds: number;
}

const stormLimitMs = 90_000;

/** Every object scales once. Ends when all has arrived, or when nothing has for 15 s. */
export function measureStorm(session: Session): Promise<Storm> {
  return session.once("storm", async () => {
    const { fleet } = await measureLarge(session);
    const { cluster, objects } = fleet;
    const startedMs = performance.now();
    await cluster.storm();
    let [last, changedMs, statusMs] = ["", startedMs, NaN];
    for (;;) {
      await sleep(1000);
      const nowMs = performance.now();
      const [state, { lagsMs }] = [await cluster.stormState(), await cluster.lags()];
      const text = JSON.stringify([state, lagsMs.length]);
      if (text !== last) [last, changedMs] = [text, nowMs];
      if (state.statuses === objects && Number.isNaN(statusMs)) statusMs = nowMs;
      const isDone = state.statuses === objects && state.counted >= objects;
      if (!isDone && nowMs - changedMs < 15_000 && nowMs - startedMs < stormLimitMs) continue;
      session.progress("the storm is over");
      return {
        scales: lagsMs.length,
        lastScaleSeconds: Math.max(...lagsMs) / 1000,
        ...state,
        statusSeconds: (statusMs - startedMs) / 1000,
        reportedLost: await reportedLost(fleet),
        seconds: (nowMs - startedMs) / 1000,
      };
    }
  });
}

/** By a counter, where there is one; otherwise by its log. */
async function reportedLost({ pid, autoscaler }: Fleet): Promise<number> {
  const { metrics } = await scrape(pid, autoscaler.port);
  const counters = [...metrics].filter(([key]) => /^plimsoll_\w*events?_(?:lost|dropped)\w*/.test(key));
  if (counters.length > 0) return counters.reduce((sum, [, value]) => sum + value, 0);
  return autoscaler.lines
    .map((line) => Number(/(\d+) events were dropped/.exec(line)?.[1] ?? 0))
    .reduce((sum, count) => sum + count, 0);
}
