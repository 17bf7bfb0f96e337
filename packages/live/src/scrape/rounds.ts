// Scrapes one group of pods again and again, each time all of them: a round.
import { type Clock, messageOf, sleep, steadyNowMs, withDeadline } from "@plimsoll/component-base";
import type { PageFetcher, PageSink } from "./http.ts";
import type { Target } from "./target.ts";

/** Where the pages of pods go. */
export interface Pages {
  /** @param atMs the time of the samples */
  open(target: Target, atMs: number): Page;
  /** Forgets all other targets. */
  keepOnly(targets: readonly Target[], atMs: number): void;
}

export interface Page extends PageSink {
  /** The whole page has come. @returns what is wrong with it; it counts as failed then */
  end(): string | undefined;
  /** Its series are stale. */
  fail(): void;
  /** In ordinary pages: 1 or more. */
  cost(): number;
}

/** What is known of the pods before a round. */
export type Found =
  | {
      readonly ok: true;
      readonly targets: readonly Target[];
      /** Pods that cannot be scraped, with the reasons. */
      readonly refused: readonly PodFailure[];
    }
  | { readonly ok: false; readonly message: string };

export interface PodFailure {
  readonly pod: string;
  readonly isReady: boolean;
  readonly reason: string;
}

/** A round that has ended. */
export interface Round {
  /** Counts from 1. */
  readonly number: number;
  /** The time of the queries: no page is later. Setting the clock does not change it. */
  readonly atMs: number;
  /** The same by the clock. */
  readonly wallMs: number;
  readonly found: Found;
  readonly failures: readonly PodFailure[];
  /** The times of the pages, by pod. */
  readonly readAtMs: ReadonlyMap<string, number>;
  /** Of all pages, in ordinary ones. */
  readonly cost: number;
}

export interface RoundsOptions {
  readonly clock: Clock;
  readonly fetcher: PageFetcher;
  readonly pages: Pages;
  readonly find: () => Promise<Found>;
  /** Of the next round, after the cost of the last one is known. */
  readonly intervalMs: (cost: number) => number;
  /** How far to move the next round, which would end then. */
  readonly shiftMs: (endMs: number) => number;
  /** Waits for the turn of a scrape. @param isLate the pod gave no page in time. @returns what ends it; undefined: not in this round */
  readonly enter: (isLate: boolean) => Promise<((cost: number) => void) | undefined>;
  /** The scrapes of a round begin within this time; 0: at once. */
  readonly spreadMs: () => number;
  readonly onRound: (round: Round) => void;
  readonly onScraped?: ((outcome: "ok" | "failed") => void) | undefined;
  /** 0 ≤ x < 1: groups that start together do not stay together. */
  readonly random: () => number;
}

/** A slow pod holds up the round for so much of the interval, and then counts as failed. */
const slowShare = 0.5;
const [shortestTimeoutMs, longestTimeoutMs] = [400, 1_000];
const findTimeoutMs = 5_000;
/** Requests of a group that are under way or wait for their turn. */
const maxTogether = 50;

export function createRounds(options: RoundsOptions) {
  const { clock, intervalMs, shiftMs, onRound, random } = options;
  const beganMs = clock.nowMs() - steadyNowMs(clock);
  let isStopped = true;
  let number = 0;
  let cost = 0;
  let cancel = (): void => {};
  const late: Before["late"] = new Map();

  const turn = async (share = 1): Promise<void> => {
    const startedAt = steadyNowMs(clock);
    const round = await scrapeAll(options, { number: (number += 1), beganMs, cost, late });
    if (isStopped) return;
    if (round.found.ok) cost = round.cost;
    onRound(round);
    if (isStopped) return;
    const endedAt = steadyNowMs(clock);
    const untilEndMs = intervalMs(cost) * share;
    const takenMs = endedAt - startedAt;
    const restMs = untilEndMs - takenMs + shiftMs(endedAt + untilEndMs);
    cancel = clock.after(Math.max(0, restMs), () => void turn());
  };

  return {
    /** How many have begun. */
    begun: (): number => number,
    start() {
      if (!isStopped) return;
      isStopped = false;
      // The first round is waited for; it is later ones that should not come together.
      void turn(0.5 + 0.5 * random());
    },
    stop() {
      isStopped = true;
      cancel();
    },
  };
}

interface Before {
  readonly number: number;
  readonly beganMs: number;
  /** Of the last round. */
  readonly cost: number;
  /** Why targets gave no page in time, by key: the one that was tried last is at the end. */
  readonly late: Map<string, string>;
}

async function scrapeAll(options: RoundsOptions, { number, beganMs, cost, late }: Before): Promise<Round> {
  const { clock, pages, find } = options;
  const found = await withDeadline(clock, findTimeoutMs, find).catch(
    (error: unknown): Found => ({ ok: false, message: `cannot find the pods: ${messageOf(error)}` }),
  );
  const atMs = (): number => Math.trunc(beganMs + steadyNowMs(clock));
  const failures: PodFailure[] = [];
  const readAtMs = new Map<string, number>();
  let ownCost = 0;
  if (!found.ok) ownCost = cost;
  else {
    failures.push(...found.refused);
    pages.keepOnly(found.targets, atMs());
    const intervalMs = options.intervalMs(Math.max(found.targets.length, cost));
    const timeoutMs = Math.min(
      longestTimeoutMs,
      Math.max(shortestTimeoutMs, Math.trunc(intervalMs * slowShare)),
    );
    await inTurns(options, lateLast(found.targets, late), async (target) => {
      const { key, pod } = target;
      const former = late.get(key);
      const leave = await options.enter(former !== undefined);
      if (leave === undefined) {
        ownCost += 1;
        failures.push({ ...target, reason: former ?? "" });
        return;
      }
      // Pages wait for different times in each round: with the time of the round, rates would be wrong.
      const pageMs = atMs();
      const page = pages.open(target, pageMs);
      const reason = await scrape(options.fetcher, target, timeoutMs, page);
      late.delete(key);
      options.onScraped?.(reason === undefined ? "ok" : "failed");
      if (reason === undefined) readAtMs.set(pod, pageMs);
      else {
        failures.push({ ...target, reason });
        if (atMs() - pageMs >= timeoutMs) late.set(key, reason);
      }
      ownCost += page.cost();
      leave(page.cost());
    });
  }
  const wallMs = Math.trunc(clock.nowMs());
  return { number, atMs: atMs(), wallMs, found, failures, readAtMs, cost: ownCost };
}

/** Pods that hang would delay all others: they are read last, those first that were not tried for longest. */
function lateLast(targets: readonly Target[], late: Before["late"]): readonly Target[] {
  const byKey = new Map(targets.map((target) => [target.key, target]));
  for (const key of late.keys()) if (!byKey.has(key)) late.delete(key);
  if (late.size === 0) return targets;
  const last = [...late.keys()].flatMap((key) => byKey.get(key) ?? []);
  return [...targets.filter(({ key }) => !late.has(key)), ...last];
}

/** @param read ends with its page: a function that waits for its next turn would keep what the last page had. */
async function inTurns(
  { clock, spreadMs }: Pick<RoundsOptions, "clock" | "spreadMs">,
  targets: readonly Target[],
  read: (target: Target) => Promise<void>,
): Promise<void> {
  const waiting = targets.entries();
  const startedAt = steadyNowMs(clock);
  const stepMs = spreadMs() / Math.max(1, targets.length);
  const worker = async (): Promise<void> => {
    for (const [place, target] of waiting) {
      await sleep(clock, startedAt + place * stepMs - steadyNowMs(clock));
      await read(target);
    }
  };
  await Promise.all(Array.from({ length: Math.min(maxTogether, targets.length) }, worker));
}

async function scrape(
  fetcher: PageFetcher,
  target: Target,
  timeoutMs: number,
  page: Page,
): Promise<string | undefined> {
  try {
    await fetcher.fetch(target, timeoutMs, page);
    const problem = page.end();
    return problem === undefined ? undefined : `sends a page that cannot be read: ${problem}`;
  } catch (error) {
    // Whatever it is, it is of this pod.
    page.fail();
    return messageOf(error);
  }
}
