// The rate limit of writes, by urgency: scales before reports.
import type { Clock } from "@plimsoll/component-base";
import { createWriteLines, type Urgency, type WaitingWrite, type WriteLines } from "./write-lines.ts";

/** A write in the queue. */
export interface Ticket {
  readonly isStarted: boolean;
  /** Moves a waiting write to the end of a more urgent line. */
  raise(urgency: Urgency): void;
  /** Removes a waiting write. */
  cancel(): void;
}

/** What all writes to the API server share: a rate, a limit in flight, and an order. */
export interface WriteBudget {
  /**
   * Begins the write when the budget allows it, which may be before this returns. Whatever becomes of the write, its
   * place is given back; a rejection goes to `onCrash`.
   */
  queue(urgency: Urgency, write: () => Promise<void>): Ticket;
  /** The same with the result, or the rejection, for the caller. */
  run<T>(urgency: Urgency, write: () => Promise<T>): Promise<T>;
  waiting(urgency: Urgency): number;
}

export interface WriteBudgetSettings {
  /** All writes a second; as many may be saved up. */
  readonly writesPerSecond: number;
  /** Of these, refreshes a second. */
  readonly refreshesPerSecond: number;
  readonly atOnce: number;
}

interface State extends WriteBudgetSettings {
  readonly clock: Clock;
  readonly onCrash: (error: unknown) => void;
  readonly lines: WriteLines;
  readonly all: TokenBucket;
  readonly refreshes: TokenBucket;
  underWay: number;
  othersUnderWay: number;
  cancelWait: () => void;
}

/** A refresh that has waited so long goes before reports. */
const maxRefreshWaitMs = 10_000;

/**
 * Scale writes go before everything else. The others leave half of the saved tokens and half of the places to them, so
 * that a burst of scales finds both.
 */
export function createWriteBudget(
  settings: WriteBudgetSettings & Pick<State, "clock" | "onCrash">,
): WriteBudget {
  const { clock, writesPerSecond, refreshesPerSecond } = settings;
  const bucket = (perSecond: number) => createTokenBucket({ clock, perSecond, burst: perSecond });
  const state: State = {
    ...settings,
    lines: createWriteLines(),
    all: bucket(writesPerSecond),
    refreshes: bucket(refreshesPerSecond),
    underWay: 0,
    othersUnderWay: 0,
    cancelWait: () => {},
  };
  const { lines } = state;
  return { queue, run, waiting: lines.size };

  function queue(urgency: Urgency, write: () => Promise<void>): Ticket {
    const entry: WaitingWrite = { urgency, queuedAtMs: clock.nowMs(), state: "waiting", write };
    lines.push(entry);
    pump(state);
    return {
      get isStarted() {
        return entry.state === "started";
      },
      raise(to) {
        if (lines.raise(entry, to)) pump(state);
      },
      cancel: () => lines.cancel(entry),
    };
  }

  function run<T>(urgency: Urgency, write: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      queue(urgency, async () => {
        try {
          resolve(await write());
        } catch (error) {
          reject(error);
        }
      });
    });
  }
}

function pump(state: State): void {
  state.cancelWait();
  state.cancelWait = () => {};
  for (let entry = next(state); entry !== undefined; entry = next(state)) void begin(state, entry);
}

async function begin(state: State, entry: WaitingWrite): Promise<void> {
  const isOther = entry.urgency !== "scale";
  state.lines.start(entry);
  state.underWay++;
  if (isOther) state.othersUnderWay++;
  try {
    await entry.write();
  } catch (error) {
    state.onCrash(error);
  } finally {
    state.underWay--;
    if (isOther) state.othersUnderWay--;
    pump(state);
  }
}

/** The write that may begin now; when a rate allows none, a timer tries again when it may. */
function next(state: State): WaitingWrite | undefined {
  const { all, atOnce, lines } = state;
  if (state.underWay >= atOnce) return undefined;
  const scale = lines.first("scale");
  if (scale === undefined) return nextOther(state);
  if (all.take(0)) return scale;
  return waitFor(state, all.waitMs(0));
}

/** The next one that is no scale. */
function nextOther(state: State): WaitingWrite | undefined {
  const { all, atOnce, clock, lines, refreshes, writesPerSecond } = state;
  if (state.othersUnderWay >= Math.ceil(atOnce / 2)) return undefined;
  const report = lines.first("report");
  const refresh = lines.first("refresh");
  if (report === undefined && refresh === undefined) return undefined;
  const refreshWaitMs = refreshes.waitMs(0);
  const allowed = refreshWaitMs === 0 ? refresh : undefined;
  const isOverdue = allowed !== undefined && Math.abs(clock.nowMs() - allowed.queuedAtMs) >= maxRefreshWaitMs;
  const chosen = isOverdue ? allowed : (report ?? allowed);
  if (chosen === undefined) return waitFor(state, refreshWaitMs);
  const spare = Math.floor(writesPerSecond / 2);
  if (!all.take(spare)) return waitFor(state, all.waitMs(spare));
  if (chosen === refresh) refreshes.take(0);
  return chosen;
}

function waitFor(state: State, ms: number): undefined {
  state.cancelWait = state.clock.after(Math.max(1, ms), () => pump(state));
}

/** It gets `perSecond` tokens a second; unused ones are saved, up to `burst`. */
interface TokenBucket {
  /** Takes one if `spare` are left afterwards. */
  take(spare: number): boolean;
  /** Time until `take` would succeed; 0 when it would now. */
  waitMs(spare: number): number;
}

/** A token bucket: a rate limit that allows bursts. */
function createTokenBucket({
  clock,
  perSecond,
  burst,
}: {
  readonly clock: Pick<Clock, "nowMs">;
  readonly perSecond: number;
  readonly burst: number;
}): TokenBucket {
  let tokens = burst;
  let atMs = clock.nowMs();

  return {
    take(spare) {
      refill();
      if (tokens < 1 + spare) return false;
      tokens -= 1;
      return true;
    },
    waitMs(spare) {
      refill();
      const missing = 1 + spare - tokens;
      return missing <= 0 ? 0 : Math.ceil((missing / perSecond) * 1000);
    },
  };

  function refill(): void {
    const nowMs = clock.nowMs();
    // A wall clock that is set back gives nothing, and takes nothing away.
    const elapsedMs = Math.max(0, nowMs - atMs);
    tokens = Math.min(burst, tokens + (elapsedMs * perSecond) / 1000);
    atMs = nowMs;
  }
}
