// Statuses that are not stored after replicas were written.
import { minuteMs } from "@plimsoll/core/internal/values";
import type { RequestFault } from "../network/network.ts";
import type { FaultKind, World } from "../run/world.ts";
import { type PlannedEvent, processNames } from "../scenario/scenario.ts";
import { numberOf, spreadDuration, textOf } from "./details.ts";

/** What becomes of the statuses. */
const fates: Readonly<Record<string, (event: PlannedEvent) => RequestFault>> = {
  refused: () => ({ type: "status", code: 500 }),
  conflict: () => ({ type: "status", code: 409 }),
  lost: () => ({ type: "lost-before", isReset: true }),
  unconfirmed: () => ({ type: "lost-after", isReset: true }),
  // Others come before it.
  late: (event) => ({ type: "delay", requestMs: numberOf(event, "lateMs"), responseMs: 10 }),
  killed: () => ({ type: "lost-before", isReset: true }),
};

export const scaleStatusFaults: Readonly<Record<string, FaultKind>> = {
  /** Who wrote the replicas of anything cannot store a status for a while, or is killed when it sends the next one. */
  "status-lost-after-scaling": {
    draw: (random, setup) => ({
      process: random.pick(["", ...processNames(setup).filter((name) => name.startsWith("autoscaler-"))]),
      fate: random.pick(["refused", "conflict", "lost", "unconfirmed", "late", "killed"]),
      windowMs: spreadDuration(random.next(), 1000, 3 * minuteMs),
      lateMs: spreadDuration(random.next(), 1000, minuteMs),
    }),
    weight: 2,
    minForMs: 2 * minuteMs,
    maxForMs: 20 * minuteMs,
    begin(world, event) {
      const process = textOf(event, "process");
      const fate = textOf(event, "fate");
      const create = fates[fate];
      if (create === undefined) throw new Error(`${event.kind}: there is no fate "${fate}"`);
      const untilMs = new Map<string, number>();
      return world.network.add({
        ofRequest({ caller, method, path }) {
          if (method === "GET" || (process !== "" && caller !== process)) return undefined;
          const { nowMs } = world.time;
          if (path.endsWith("/scale")) untilMs.set(caller, nowMs + numberOf(event, "windowMs"));
          if (!path.endsWith("/status") || (untilMs.get(caller) ?? 0) <= nowMs) return undefined;
          if (fate === "killed") {
            untilMs.delete(caller);
            replace(world, caller);
          }
          return create(event);
        },
      });
    },
  },
};

/** In a step of its own: it is within a request of this process. */
function replace({ processes, time }: Pick<World, "processes" | "time">, name: string): void {
  const process = processes.get(name);
  time.after(0, () => process?.kill());
  time.after(5000, () => processes.start(name));
}
