// For how long nothing has disturbed the processes and their connections.
import type { Observation, World } from "../run/world.ts";

export interface Calm {
  /** To be called with each observation. */
  observe(observation: Observation): void;
  /** Since the last disturbance has ended; 0 while there is one. */
  forMs(): number;
}

/** What lasts is a disturbance, and what is done to the servers; that a user edits something is none. */
export function createCalm(
  { cluster, time }: Pick<World, "cluster" | "time">,
  /** What happens at once and is no action of a user. */
  sudden = /restore|compact|lease/,
  /** What lasts and is no disturbance. */
  ignored = /^$/,
): Calm {
  const disturbances = new Set<number>();
  let sinceMs = time.nowMs;
  cluster.onRestore(() => (sinceMs = time.nowMs));
  return {
    observe(observation) {
      if (observation.kind === "process") sinceMs = time.nowMs;
      if (observation.kind !== "fault") return;
      const { event, change } = observation;
      if (ignored.test(event.kind) || (event.forMs === 0 && !sudden.test(event.kind))) return;
      if (change === "begins" && event.forMs > 0) disturbances.add(event.id);
      else disturbances.delete(event.id);
      sinceMs = time.nowMs;
    },
    forMs: () => (disturbances.size > 0 ? 0 : time.nowMs - sinceMs),
  };
}
