// How the search for a planted fault ended.
import type { Violation } from "../run/violation.ts";
import type { Scenario } from "../scenario/scenario.ts";

export interface SearchReport {
  /** Of one core, until the violation or the end; without shrinking. */
  readonly seconds: number;
  /** Of simulated time. */
  readonly hours: number;
  /** Undefined when no invariant was violated. */
  readonly found?: Found;
}

/** What was found, and what is needed for it. */
export interface Found {
  readonly violation: Violation;
  readonly scenario: Scenario;
}
