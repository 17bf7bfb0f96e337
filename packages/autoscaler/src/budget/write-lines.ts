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

/** Writes that wait, one line for each urgency; first come, first served within it. Nothing is kept of one that has left. */
export type WriteLines = ReturnType<typeof createWriteLines>;

export function createWriteLines() {
  const lines: Readonly<Record<Urgency, Line>> = { scale: line(), report: line(), refresh: line() };
  const leave = (entry: WaitingWrite, state: "started" | "canceled"): void => {
    if (lines[entry.urgency].entries.delete(entry)) entry.state = state;
  };
  return {
    push: (entry: WaitingWrite) => void lines[entry.urgency].entries.add(entry),
    /** Moves an entry to the end of a more urgent line. False unless it becomes more urgent and waits. */
    raise(entry: WaitingWrite, urgency: Urgency): boolean {
      if (entry.state !== "waiting" || rank(urgency) >= rank(entry.urgency)) return false;
      lines[entry.urgency].entries.delete(entry);
      entry.urgency = urgency;
      lines[urgency].entries.add(entry);
      return true;
    },
    cancel: (entry: WaitingWrite) => leave(entry, "canceled"),
    first: (urgency: Urgency): WaitingWrite | undefined => lines[urgency].first(),
    /** Takes it out. */
    start: (entry: WaitingWrite) => leave(entry, "started"),
    size: (urgency: Urgency): number => lines[urgency].entries.size,
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

type Line = ReturnType<typeof line>;

function line() {
  const entries = new Set<WaitingWrite>();
  // One iterator for many calls: a new one would pass over the places of all entries that have left.
  let rest = entries.values();
  let head: WaitingWrite | undefined;
  return {
    entries,
    first(): WaitingWrite | undefined {
      if (entries.size === 0) {
        head = undefined;
        return undefined;
      }
      while (head === undefined || !entries.has(head)) {
        head = rest.next().value;
        if (head === undefined) rest = entries.values();
      }
      return head;
    },
  };
}
