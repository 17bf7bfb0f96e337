import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type scheduleState, upcomingTransitions } from "../src/decide/schedules/index.ts";
import { measuredState } from "../src/decide/schedules/state.ts";
import { createWork, type Work } from "../src/decide/schedules/work.ts";
import type { ScheduleState } from "../src/index.ts";
import { places, schedulesOf, settingAt } from "./schedules-draws.ts";

/** What one entry's state may cost, in steps; worst entries are in schedules-cost.test.ts. */
const maxSteps = 2500;
/** What one run of a property may cost: over it, it fails with its seed instead of going on for hours. */
const maxStepsPerRun = 40_000_000;

/** The same as `scheduleState`, which must not cost more than it may. */
function createBudget(): { readonly state: typeof scheduleState } {
  let total = 0;
  return {
    state(schedules, nowMs) {
      const works: Work[] = [];
      const state = measuredState(schedules, nowMs, () => {
        const work = createWork();
        works.push(work);
        return work;
      });
      for (const { spent } of works) {
        total += spent;
        if (spent > maxSteps) throw new Error(`a state at ${nowMs} costs ${spent} steps`);
      }
      if (total > maxStepsPerRun) throw new Error(`this run costs more than ${maxStepsPerRun} steps`);
      return state;
    },
  };
}

/** Two states without their instants; with beginnings and ends only where both see them. */
function comparable(...states: readonly ScheduleState[]): readonly object[] {
  const isWithinSearch = states.every(
    ({ active, isSearchEnd }) =>
      isSearchEnd !== true &&
      active.every(({ sinceMs, untilMs }) => sinceMs !== undefined && untilMs !== undefined),
  );
  return states.map(({ floor, ceiling, conflict, active, nextMs }) => {
    const bare = active.map(({ name, floor, ceiling, ramp }) => ({ name, floor, ceiling, ramp }));
    return isWithinSearch ? { floor, ceiling, conflict, active, nextMs } : { floor, ceiling, conflict, bare };
  });
}

test("the state by the clock is that of replaying every transition up to then", () => {
  assertProperty(
    fc.property(settingAt(places), ({ day, entries, offset, ahead }) => {
      const { schedules } = schedulesOf(entries);
      const fromMs = Date.parse(day) + offset * 60_000;
      const atMs = fromMs + ahead * 60_000;
      const budget = createBudget();
      let replayed = budget.state(schedules, fromMs);
      for (let changes = 0; ; changes++) {
        // Nothing here changes more often than every minute, and steps of ramps.
        expect(changes).toBeLessThan(50_000);
        const [change] = upcomingTransitions(schedules, replayed.atMs, 1);
        if (change === undefined || change.atMs > atMs) break;
        replayed = change.state;
      }
      const [byClock, byReplay] = comparable(budget.state(schedules, atMs), replayed);
      expect(byClock).toEqual(byReplay);
    }),
    { numRuns: 60 },
  );
});

test("between two transitions nothing changes", () => {
  assertProperty(
    fc.property(
      settingAt(places),
      fc.double({ min: 0, max: 1, noNaN: true }),
      ({ day, entries, offset }, share) => {
        const { schedules } = schedulesOf(entries);
        const budget = createBudget();
        const state = budget.state(schedules, Date.parse(day) + offset * 60_000);
        const endMs = state.nextMs ?? state.atMs + 1e12;
        const betweenMs = Math.min(endMs - 1, state.atMs + Math.floor(share * (endMs - state.atMs)));
        const [later, sooner] = comparable(budget.state(schedules, betweenMs), state);
        expect(later).toEqual(sooner);
      },
    ),
    { numRuns: 200 },
  );
});
