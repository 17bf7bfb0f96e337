// How the search for a planted fault ended.
import type { Scenario } from "../scenario/scenario.ts";

export interface SearchReport {
  /** Of one core, until the violation or the end; without shrinking. */
  readonly seconds: number;
  /** Of simulated time. */
  readonly hours: number;
  readonly runs: number;
  /** Undefined when no invariant was violated. */
  readonly found?: {
    readonly invariant: string;
    readonly message: string;
    readonly seed: number;
    /** Before shrinking. */
    readonly eventsBefore: number;
    /** After shrinking. */
    readonly scenario: Scenario;
  };
}
