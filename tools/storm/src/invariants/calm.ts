// For how long nothing has disturbed the processes and their connections.
import type { Observation, World } from "../run/world.ts";

/** A process receives an edit within this time, and has ended what it decided before, where nothing disturbs it. */
export const deliveredMs = 120_000;

export interface Calm {
  /** To be called with each observation. */
  observe(observation: Observation): void;
  /** Since the last disturbance has ended; 0 while there is one. */
  forMs(): number;
}

interface CalmOptions {
  /** Faults that happen at once and are no actions of a user. */
  readonly sudden?: RegExp;
  /** Faults that last and are no disturbance. */
  readonly ignored?: RegExp;
}

/** What lasts is a disturbance, and what is done to the servers; that a user edits something is none. */
export function createCalm(
  { cluster, time }: Pick<World, "cluster" | "time">,
  { sudden = /restore|compact|lease/, ignored = /^$/ }: CalmOptions = {},
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
