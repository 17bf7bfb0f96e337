// What a run found.
import type { Scenario } from "../scenario/scenario.ts";

/** An invariant that did not hold. */
export interface Violation {
  /** The name of the invariant. */
  readonly invariant: string;
  /** What is violated, in one sentence. */
  readonly message: string;
  /** After the start. */
  readonly atMs: number;
}

/** A violation, and a scenario in which it comes. */
export interface Found {
  readonly scenario: Scenario;
  readonly violation: Violation;
}

/** How a run went. */
export interface RunResult {
  /** SHA-256 of the trace. */
  readonly hash: string;
  readonly traceLines: number;
  readonly violation: Violation | undefined;
  /** How long it lasted, in simulated time. */
  readonly simulatedMs: number;
  /** How many faults of each kind began. */
  readonly faults: ReadonlyMap<string, number>;
  /** How often each invariant had something to check: one that never has can find nothing. */
  readonly checks: ReadonlyMap<string, number>;
  /** Timers that ran: the steps of the simulation. */
  readonly steps: number;
  readonly requests: number;
}
