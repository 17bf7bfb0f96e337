// How the search for a planted fault ended.
import type { Found } from "../run/violation.ts";

export interface SearchReport {
  /** Of one core, until the violation or the end; without shrinking. */
  readonly seconds: number;
  /** Of simulated time. */
  readonly hours: number;
  /** Undefined when no invariant was violated. */
  readonly found?: Found;
}
