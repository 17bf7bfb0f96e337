// A simulated operating-system process: what reaches it from outside can be held back or dropped.
import type { Clock } from "@plimsoll/component-base";
import type { VirtualTime } from "../time/virtual-time.ts";

/**
 * Where a process can be stopped besides between two moments: before something reaches it, between a call of a client and the
 * sending of the request, and right after the sending.
 */
export type ProcessPoint = "delivery" | "before-send" | "after-send";

export interface SimulatedProcess {
  /** Such as "autoscaler-0"; the same over restarts. */
  readonly name: string;
  /** Counts its starts, from 1. */
  readonly run: number;
  readonly state: "running" | "paused" | "killed";
  /** Its machine's clocks. The wall clock may be set; timers follow the steady clock, and wait while the process is paused. */
  readonly clock: Clock;
  /**
   * Everything that comes from outside passes here: it runs at once, when the process is woken, or never once it is
   * killed.
   */
  deliver(run: () => void): void;
  /** What its own code does next after a point in which it can be stopped: when it is woken, that runs before all deliveries. */
  proceed(point: ProcessPoint, run: () => void): void;
  /** Calls `strike`, which pauses or kills, when the process comes to this point next. Returns what cancels it. */
  strikeAt(point: ProcessPoint, strike: () => void): () => void;
  /** As SIGSTOP and SIGCONT. */
  pause(): void;
  /** Timers that are due run before or after what else came meanwhile. */
  wake(order?: "timers-first" | "timers-last"): void;
  /** As SIGKILL: connections are cut, nothing runs any more. */
  kill(): void;
  /** Returns what cancels it. */
  onKill(run: () => void): () => void;
  /** Sets the wall clock forward or back. */
  stepClock(byMs: number): void;
}

/** What survives a process: the wall clock of its machine. */
export interface Machine {
  /** How far the wall clock is ahead of the time of the simulation. */
  aheadMs: number;
}

/** What a process is made from. */
export interface ProcessOptions {
  readonly name: string;
  readonly run: number;
  readonly time: VirtualTime;
  readonly machine: Machine;
  readonly onChange?: (change: "paused" | "woken" | "killed") => void;
  /** What its code throws outside of a promise: the real process would end. */
  readonly onCrash: (error: unknown) => void;
}

/** What came while a process was paused. */
interface Held {
  readonly kind: "own" | "timer" | "delivery";
  readonly run: () => void;
}

/** As in the runtime: a longer delay overflows, and none is shorter than a millisecond. */
const maxDelayMs = 2 ** 31 - 1;

const ranks = {
  "timers-first": { own: 0, timer: 1, delivery: 2 },
  "timers-last": { own: 0, timer: 2, delivery: 1 },
} as const;

export function createProcess(options: ProcessOptions): SimulatedProcess {
  const { time, machine, onChange = () => {}, onCrash } = options;
  const startedMs = time.nowMs;
  let state: SimulatedProcess["state"] = "running";
  let held: Held[] = [];
  const strikes = new Map<ProcessPoint, Set<() => void>>();
  const killed = new Set<() => void>();

  function enter(kind: Held["kind"], run: () => void): void {
    if (state === "paused") held.push({ kind, run });
    if (state !== "running") return;
    try {
      run();
    } catch (error) {
      onCrash(error);
    }
  }

  function reach(point: ProcessPoint): void {
    if (strikes.size === 0 || state !== "running") return;
    const due = strikes.get(point);
    strikes.delete(point);
    for (const strike of due ?? []) strike();
  }

  return {
    name: options.name,
    run: options.run,
    get state() {
      return state;
    },
    clock: {
      nowMs: () => time.nowMs + machine.aheadMs,
      steadyMs: () => time.nowMs - startedMs,
      after(delayMs, run) {
        let isCanceled = false;
        const runs = () => {
          if (!isCanceled) run();
        };
        const cancel = time.after(timerDelay(delayMs), () => {
          if (isCanceled) return;
          reach("delivery");
          enter("timer", runs);
        });
        return () => {
          isCanceled = true;
          cancel();
        };
      },
    },
    deliver(run) {
      reach("delivery");
      enter("delivery", run);
    },
    proceed(point, run) {
      reach(point);
      enter("own", run);
    },
    strikeAt(point, strike) {
      const due = strikes.get(point) ?? new Set();
      strikes.set(point, due.add(strike));
      return () => due.delete(strike);
    },
    pause() {
      if (state !== "running") return;
      state = "paused";
      onChange("paused");
    },
    wake(order = "timers-last") {
      if (state !== "paused") return;
      state = "running";
      onChange("woken");
      const rank = ranks[order];
      const due = held.sort((one, other) => rank[one.kind] - rank[other.kind]);
      held = [];
      for (const { kind, run } of due) {
        time.after(0, () => {
          if (kind !== "own") reach("delivery");
          enter(kind, run);
        });
      }
    },
    kill() {
      if (state === "killed") return;
      state = "killed";
      held = [];
      onChange("killed");
      for (const run of killed) run();
    },
    onKill(run) {
      killed.add(run);
      return () => killed.delete(run);
    },
    stepClock(byMs) {
      machine.aheadMs += byMs;
    },
  };
}

function timerDelay(delayMs: number): number {
  return delayMs >= 1 ? Math.min(Math.trunc(delayMs), maxDelayMs) : 1;
}
