// The autoscaler at several sizes with its default period: what an evaluation costs and how much memory it takes.
import { setTimeout as sleep } from "node:timers/promises";
import { measureWindow, startFleet, type Window } from "./fleet.ts";
import type { Session } from "./session.ts";

export const podsEach = 15;
export const defaultPeriodSeconds = 15;
const settlePeriods = 2;
const measuredPeriods = 2;

/** One window of two periods, after two periods in which every status is written once. */
export function measureSize(session: Session, full: number): Promise<Window> {
  const objects = full === 1 ? 1 : session.objects(full);
  return session.once(`size ${objects}`, async () => {
    const fleet = await startFleet(session, { objects, pods: podsEach, periodSeconds: defaultPeriodSeconds });
    try {
      await sleep(settlePeriods * defaultPeriodSeconds * 1000);
      const window = await measureWindow(fleet, measuredPeriods * defaultPeriodSeconds);
      session.progress(`${objects} objects have been measured`);
      return window;
    } finally {
      await fleet.stop();
    }
  });
}
