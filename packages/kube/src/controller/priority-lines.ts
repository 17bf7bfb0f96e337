import { createFairQueue } from "./fair-queue.ts";

/** Why a key waits: something happened to its object, or its period has passed. */
export type Priority = "event" | "periodic";

/** The keys that wait, those with an event first. */
export interface PriorityLines {
  readonly size: number;
  push(key: string, priority: Priority): void;
  remove(key: string): void;
  /** The next key whose namespace may be served. */
  shift(mayServe: (namespace: string) => boolean): string | undefined;
}

/** After so many keys with an event in a row one without has its chance: constant edits must not end the periods. */
const maxEventsInRow = 3;

export function createPriorityLines(namespaceOf: (key: string) => string): PriorityLines {
  const events = createFairQueue<string>();
  const periodic = createFairQueue<string>();
  let eventsInRow = 0;
  return {
    get size() {
      return events.size + periodic.size;
    },
    push(key, priority) {
      (priority === "event" ? events : periodic).push(namespaceOf(key), key);
    },
    remove(key) {
      if (!events.remove(key)) periodic.remove(key);
    },
    shift(mayServe) {
      const other = eventsInRow < maxEventsInRow ? undefined : periodic.shift(mayServe);
      const event = other === undefined ? events.shift(mayServe) : undefined;
      eventsInRow = event === undefined ? 0 : eventsInRow + 1;
      return other ?? event ?? periodic.shift(mayServe);
    },
  };
}
