// The waiting writes, in one queue for each urgency.

/**
 * What is written: "scale" changes replicas, or the bounds that decide them; "report" is an event, or a status that
 * says something new; "refresh" is a status in which only numbers changed.
 */
export type Urgency = "scale" | "report" | "refresh";

export interface WaitingWrite {
  urgency: Urgency;
  readonly queuedAtMs: number;
  state: "waiting" | "started" | "canceled";
  readonly write: () => Promise<void>;
}

/** Writes that wait, one line for each urgency; first come, first served within it. */
export interface WriteLines {
  push(entry: WaitingWrite): void;
  /** Moves an entry to the end of a more urgent line. False when it is no more urgent, or does not wait. */
  raise(entry: WaitingWrite, urgency: Urgency): boolean;
  cancel(entry: WaitingWrite): void;
  first(urgency: Urgency): WaitingWrite | undefined;
  /** Takes the first one out. */
  start(entry: WaitingWrite): void;
  size(urgency: Urgency): number;
}

interface Line {
  entries: WaitingWrite[];
  head: number;
  size: number;
}

export function createWriteLines(): WriteLines {
  const lines: Readonly<Record<Urgency, Line>> = { scale: line(), report: line(), refresh: line() };
  const push = (entry: WaitingWrite): void => {
    const { urgency } = entry;
    lines[urgency].entries.push(entry);
    lines[urgency].size++;
  };
  return {
    push,
    raise(entry, urgency) {
      if (entry.state !== "waiting" || rank(urgency) >= rank(entry.urgency)) return false;
      lines[entry.urgency].size--;
      entry.urgency = urgency;
      push(entry);
      return true;
    },
    cancel(entry) {
      if (entry.state !== "waiting") return;
      entry.state = "canceled";
      lines[entry.urgency].size--;
    },
    first(urgency) {
      const from = lines[urgency];
      for (let entry = from.entries[from.head]; entry !== undefined; entry = from.entries[from.head]) {
        if (entry.state === "waiting" && entry.urgency === urgency) return entry;
        advance(from);
      }
      return undefined;
    },
    start(entry) {
      const from = lines[entry.urgency];
      entry.state = "started";
      from.size--;
      advance(from);
    },
    size: (urgency) => lines[urgency].size,
  };
}

const order: readonly Urgency[] = ["scale", "report", "refresh"];

function rank(urgency: Urgency): number {
  return order.indexOf(urgency);
}

/** The more urgent of two. */
export function moreUrgent(one: Urgency, other: Urgency): Urgency {
  return rank(one) <= rank(other) ? one : other;
}

function line(): Line {
  return { entries: [], head: 0, size: 0 };
}

function advance(from: Line): void {
  from.head++;
  if (from.head < 1000 || from.head * 2 < from.entries.length) return;
  from.entries = from.entries.slice(from.head);
  from.head = 0;
}
