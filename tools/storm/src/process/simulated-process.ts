// A simulated operating-system process: what reaches it from outside can be held back or dropped.
import { type Clock, maxDelayMs } from "@plimsoll/component-base";
import type { VirtualTime } from "../time/virtual-time.ts";
import { createGate, type Gate, type ProcessPoint } from "./gate.ts";

export type { ProcessPoint } from "./gate.ts";

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

export function createProcess(options: ProcessOptions): SimulatedProcess {
  const { time, machine, onChange, onCrash } = options;
  const gate = createGate({ time, onChange, onCrash });
  return {
    name: options.name,
    run: options.run,
    get state() {
      return gate.state;
    },
    clock: createClock(gate, time, machine),
    deliver(run) {
      gate.reach("delivery");
      gate.enter("delivery", run);
    },
    proceed(point, run) {
      gate.reach(point);
      gate.enter("own", run);
    },
    strikeAt: gate.strikeAt,
    pause: gate.pause,
    wake: gate.wake,
    kill: gate.kill,
    onKill: gate.onKill,
    stepClock(byMs) {
      machine.aheadMs += byMs;
    },
  };
}

function createClock(gate: Gate, time: VirtualTime, machine: Machine): Clock {
  const startedMs = time.nowMs;
  return {
    nowMs: () => time.nowMs + machine.aheadMs,
    steadyMs: () => time.nowMs - startedMs,
    after(delayMs, run) {
      let isCanceled = false;
      const runs = () => {
        if (!isCanceled) run();
      };
      const cancel = time.after(timerDelay(delayMs), () => {
        if (isCanceled) return;
        gate.reach("delivery");
        gate.enter("timer", runs);
      });
      return () => {
        isCanceled = true;
        cancel();
      };
    },
  };
}

/** As in the runtime: none is shorter than a millisecond. */
function timerDelay(delayMs: number): number {
  return delayMs >= 1 ? Math.min(Math.trunc(delayMs), maxDelayMs) : 1;
}
