// The result of act: what was written of a plan.
import type { DecideResult } from "@plimsoll/core";
import type { ScaleFailure } from "../evaluate/plan.ts";

/** What became of a plan. */
export interface Applied {
  /**
   * "moved": nothing was done, because the target's replicas are not those any more that were decided on. "withheld":
   * the replicas were not written, because other objects name the same target. "fenced": nothing may be written any more.
   */
  readonly outcome: "nothing-to-do" | "scaled" | "scale-failed" | "shadow" | "moved" | "withheld" | "fenced";
  /** The decision as it turned out; a failed write changes it. */
  readonly result: DecideResult;
  /** Why the replicas were not written though core decided so. */
  readonly scaleFailure: ScaleFailure | undefined;
  /** When the replicas were written. */
  readonly scaledAtMs: number | undefined;
  readonly retryAfterMs: number | undefined;
  /** A write that failed. */
  readonly failure: string | undefined;
}
