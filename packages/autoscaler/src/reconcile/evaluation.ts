// The record of one evaluation that is passed to observers.
import type { Applied } from "./act/applied.ts";
import type { Plan } from "./evaluate/plan.ts";
import type { ObjectState } from "./remember/state.ts";

/** One evaluation as its observers see it. */
export interface Evaluation {
  readonly plan: Plan;
  readonly applied: Applied;
  /** The state that it was decided with, and the one that it left. */
  readonly before: ObjectState;
  readonly after: ObjectState;
  readonly tookMs: number;
  /** The Retry-After of a server. */
  readonly skipMs: number;
}
