// The state of schedules, with the number of steps that it took.
import type { Schedule } from "./schedule.ts";
import { measuredState, type ScheduleState } from "./state.ts";
import { createWork, type Work } from "./work.ts";

/** Beside the steps of its search. */
const stepsOfEntry = 20;

/** The state at an instant, with what it cost. A worst entry takes some 2,500 steps, a usual one some tens. */
export function countedState(
  schedules: readonly Schedule[],
  nowMs: number,
): { readonly state: ScheduleState; readonly steps: number } {
  const works: Work[] = [];
  const state = measuredState(schedules, nowMs, () => {
    const work = createWork();
    works.push(work);
    return work;
  });
  const searched = works.reduce((sum, { spent }) => sum + spent, 0);
  const ramps = schedules.reduce((sum, { ramp }) => sum + (ramp?.steps ?? 0), 0);
  return { state, steps: searched + ramps + stepsOfEntry * schedules.length };
}
