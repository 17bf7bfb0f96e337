// Queues of the work queue: keys whose object changed before keys whose period passed.
import { createFairQueue } from "./fair-queue.ts";

/** Why a key waits: something happened to its object, or its period has passed. */
export type Priority = "event" | "periodic";

/** The keys that wait, those with an event first. */
export type PriorityLines = ReturnType<typeof createPriorityLines>;

/** After so many keys with an event in a row one without has its chance: constant edits must not end the periods. */
const maxEventsInRow = 3;
/** Of a namespace in a row, unless they wait: periods that are late share what they read of it, as those that are in time do. */
const periodsInRow = 50;
const maxTurnMs = 50;

export function createPriorityLines(namespaceOf: (key: string) => string, nowMs: () => number) {
  const events = createFairQueue<string>();
  const periodic = createFairQueue<string>({ items: periodsInRow, ms: maxTurnMs, nowMs });
  let eventsInRow = 0;
  return {
    get size() {
      return events.size + periodic.size;
    },
    push(key: string, priority: Priority): void {
      (priority === "event" ? events : periodic).push(namespaceOf(key), key);
    },
    remove(key: string): void {
      if (!events.remove(key)) periodic.remove(key);
    },
    /** The next key whose namespace may be served. */
    shift(mayServe: (namespace: string) => boolean): string | undefined {
      const other = eventsInRow < maxEventsInRow ? undefined : periodic.shift(mayServe);
      const event = other === undefined ? events.shift(mayServe) : undefined;
      eventsInRow = event === undefined ? 0 : eventsInRow + 1;
      return other ?? event ?? periodic.shift(mayServe);
    },
  };
}
