// Entries of schedules as short texts.
import { expect } from "vitest";
import {
  readSchedules,
  type Schedule,
  type ScheduleSpec,
  scheduleState,
  upcomingTransitions,
} from "../src/decide/schedules/index.ts";
import { formatInstant } from "../src/index.ts";
import { zone } from "./zones.ts";

export const office: ScheduleSpec = {
  name: "office",
  timeZone: "Europe/Berlin",
  start: "0 8 * * MON-FRI",
  end: "0 18 * * MON-FRI",
  minReplicas: 10,
};

export function read(...specs: readonly Partial<ScheduleSpec>[]): readonly Schedule[] {
  const named = specs.map((spec, n) => ({ ...office, ...(n === 0 ? {} : { name: `entry-${n}` }), ...spec }));
  const result = readSchedules(named, { zone, bounds: { minReplicas: 2, maxReplicas: 50 } });
  expect(result.problems).toEqual([]);
  return result.schedules;
}

export function at(schedules: readonly Schedule[], instant: string): string {
  const { floor, ceiling, active, nextMs } = scheduleState(schedules, Date.parse(instant));
  const names = active.map(({ name }) => name).join("+");
  const next = nextMs === undefined ? "never" : formatInstant(nextMs);
  return `${names || "none"} [${floor ?? ""}, ${ceiling ?? ""}] until ${next}`;
}

/** Begins and ends from an instant on: "+ 2026-…" and "- 2026-…". */
export function changes(schedules: readonly Schedule[], from: string, count: number): readonly string[] {
  return upcomingTransitions(schedules, Date.parse(from), count).map(({ atMs, begins, ends }) => {
    const signs = `${"+".repeat(begins.length)}${"-".repeat(ends.length)}`;
    return `${signs || "~"} ${formatInstant(atMs)}`;
  });
}
