// A simulated operating-system process: what reaches it from outside can be held back or dropped.
import type { Clock } from "@plimsoll/component-base";

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
  /** As SIGSTOP and SIGCONT. */
  pause(): void;
  wake(): void;
  /** As SIGKILL: connections are cut, nothing runs any more. */
  kill(): void;
  onKill(run: () => void): void;
  /** Sets the wall clock forward or back. */
  stepClock(byMs: number): void;
}
