// The interface of searches for begin and end of a schedule.
import type { Work } from "./work.ts";

/** From a start to the end that is followed by no start, exclusions aside. */
export interface Run {
  /** Negative infinity where the search found no beginning. */
  readonly fromMs: number;
  readonly toMs: number;
  /** It goes on at `toMs`, and the search found no end. */
  readonly isCut: boolean;
}

/** What a run is looked for in: what lies outside is of no interest. */
export interface RunSearch {
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly work: Work;
}
