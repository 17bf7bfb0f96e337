import type { Clock } from "@plimsoll/kube";
import { createTokenBucket } from "./token-bucket.ts";

/**
 * Why something is written: "scale" changes a count; "told" is an event, or a status that says something new;
 * "refresh" is a status in which only numbers moved.
 */
export type Urgency = "scale" | "told" | "refresh";

/** A write that has asked for its turn. */
export interface Ticket {
  readonly isStarted: boolean;
  /** Moves a write that waits to a more urgent line; there it is the last. */
  raise(urgency: Urgency): void;
  /** Takes a write that waits out. */
  cancel(): void;
}

/** What all writes to the API server share: a rate, a number at a time, and an order. */
export interface WriteBudget {
  /** Begins the write when its turn comes, which may be before this returns. `write` must not reject. */
  queue(urgency: Urgency, write: () => Promise<void>): Ticket;
  /** The same for one whose end the caller waits for. */
  run<T>(urgency: Urgency, write: () => Promise<T>): Promise<T>;
  waiting(urgency: Urgency): number;
}

export interface WriteBudgetSettings {
  /** All writes a second; as many may be saved up. */
  readonly writesPerSecond: number;
  /** Of these, refreshes a second. */
  readonly refreshesPerSecond: number;
  readonly atOnce: number;
}

interface Entry {
  urgency: Urgency;
  readonly queuedAtMs: number;
  state: "waiting" | "started" | "cancelled";
  readonly write: () => Promise<void>;
}

/** First come, first served, within one urgency. */
interface Line {
  entries: Entry[];
  head: number;
  size: number;
}

/** A refresh that has waited so long goes before what is told. */
const patienceMs = 10_000;

/**
 * Scale writes go before everything else. What is not urgent leaves half of the rate's reserve and half of the places
 * to them, so that a burst of scales finds both.
 */
export function createWriteBudget(o: WriteBudgetSettings & { readonly clock: Clock }): WriteBudget {
  const { clock, atOnce } = o;
  const all = createTokenBucket({ clock, perSecond: o.writesPerSecond, burst: o.writesPerSecond });
  const refreshes = createTokenBucket({
    clock,
    perSecond: o.refreshesPerSecond,
    burst: o.refreshesPerSecond,
  });
  const spare = Math.floor(o.writesPerSecond / 2);
  const othersAtOnce = Math.ceil(atOnce / 2);
  const lines: Readonly<Record<Urgency, Line>> = { scale: line(), told: line(), refresh: line() };
  let underWay = 0;
  let othersUnderWay = 0;
  let cancelWait: (() => void) | undefined;

  return { queue, run, waiting: (urgency) => lines[urgency].size };

  function queue(urgency: Urgency, write: () => Promise<void>): Ticket {
    const entry: Entry = { urgency, queuedAtMs: clock.nowMs(), state: "waiting", write };
    push(entry);
    pump();
    return {
      get isStarted() {
        return entry.state === "started";
      },
      raise(to) {
        if (entry.state !== "waiting" || rank(to) >= rank(entry.urgency)) return;
        lines[entry.urgency].size--;
        entry.urgency = to;
        push(entry);
        pump();
      },
      cancel() {
        if (entry.state !== "waiting") return;
        entry.state = "cancelled";
        lines[entry.urgency].size--;
      },
    };
  }

  function run<T>(urgency: Urgency, write: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      queue(urgency, () => write().then(resolve, reject));
    });
  }

  function push(entry: Entry): void {
    const { entries } = lines[entry.urgency];
    entries.push(entry);
    lines[entry.urgency].size++;
  }

  function pump(): void {
    cancelWait?.();
    cancelWait = undefined;
    for (let entry = next(); entry !== undefined; entry = next()) void begin(entry);
  }

  async function begin(entry: Entry): Promise<void> {
    const isOther = entry.urgency !== "scale";
    shift(lines[entry.urgency]);
    entry.state = "started";
    underWay++;
    if (isOther) othersUnderWay++;
    await entry.write();
    underWay--;
    if (isOther) othersUnderWay--;
    pump();
  }

  /** The write whose turn it is; when there is none because of a rate, comes back when there may be. */
  function next(): Entry | undefined {
    if (underWay >= atOnce) return undefined;
    const scale = first("scale");
    if (scale !== undefined) {
      if (all.take(0)) return scale;
      waitFor(all.waitMs(0));
      return undefined;
    }
    if (othersUnderWay >= othersAtOnce) return undefined;
    const told = first("told");
    const refresh = first("refresh");
    if (told === undefined && refresh === undefined) return undefined;
    const refreshWaitMs = refreshes.waitMs(0);
    const mayRefresh = refresh !== undefined && refreshWaitMs === 0;
    const isOverdue = mayRefresh && Math.abs(clock.nowMs() - refresh.queuedAtMs) >= patienceMs;
    const chosen = isOverdue ? refresh : (told ?? (mayRefresh ? refresh : undefined));
    if (chosen === undefined) {
      waitFor(refreshWaitMs);
      return undefined;
    }
    if (!all.take(spare)) {
      waitFor(all.waitMs(spare));
      return undefined;
    }
    if (chosen === refresh) refreshes.take(0);
    return chosen;
  }

  function first(urgency: Urgency): Entry | undefined {
    const from = lines[urgency];
    for (;;) {
      const entry = from.entries[from.head];
      if (entry === undefined) return undefined;
      if (entry.state === "waiting" && entry.urgency === urgency) return entry;
      advance(from);
    }
  }

  function waitFor(ms: number): void {
    cancelWait = clock.after(Math.max(1, ms), pump);
  }
}

const order: readonly Urgency[] = ["scale", "told", "refresh"];

function rank(urgency: Urgency): number {
  return order.indexOf(urgency);
}

function line(): Line {
  return { entries: [], head: 0, size: 0 };
}

function shift(from: Line): void {
  from.size--;
  advance(from);
}

function advance(from: Line): void {
  from.head++;
  if (from.head < 1000 || from.head * 2 < from.entries.length) return;
  from.entries = from.entries.slice(from.head);
  from.head = 0;
}

/** The more urgent of two. */
export function moreUrgent(one: Urgency, other: Urgency): Urgency {
  return rank(one) <= rank(other) ? one : other;
}
