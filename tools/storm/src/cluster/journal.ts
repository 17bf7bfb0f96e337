// The changes of the last hour, so that they can be undone.
import type { StoreEvent } from "@plimsoll/sandbox";
import type { VirtualTime } from "../time/virtual-time.ts";

/** How far back a restore reaches. */
const keepMs = 3_600_000;
/** How many changes there are between two looks at the oldest ones. */
const pruneEvery = 4096;

interface Entry {
  readonly atMs: number;
  readonly event: StoreEvent;
}

export interface Journal {
  add(event: StoreEvent): void;
  /** Takes out what came after a moment, newest first. */
  takeAfter(ms: number): readonly StoreEvent[];
}

export function createJournal(time: VirtualTime): Journal {
  let entries: Entry[] = [];
  let added = 0;

  /** How many came up to a moment. */
  function countUpTo(ms: number): number {
    const after = entries.findIndex(({ atMs }) => atMs > ms);
    return after === -1 ? entries.length : after;
  }

  return {
    add(event) {
      entries.push({ atMs: time.nowMs, event });
      added += 1;
      if (added % pruneEvery === 0) entries = entries.slice(countUpTo(time.nowMs - keepMs));
    },
    takeAfter(ms) {
      const taken = entries.splice(countUpTo(ms));
      return taken.reverse().map(({ event }) => event);
    },
  };
}
