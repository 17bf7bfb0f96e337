// The queue of status and event writes; a newer write of the same object replaces a waiting one.
import type { KeyedEntries } from "@plimsoll/component-base";
import type { Ticket, WriteBudget } from "./write-budget.ts";
import { moreUrgent, type Urgency } from "./write-lines.ts";

/** Writes that wait for the budget, at most one for each key: a newer one replaces an older one. */
export interface CoalescingQueue<R> {
  /**
   * Resolves with the result of the write when it began at once, and with "later" when it has to wait. Rejects when
   * a write that began at once does; one that waited must handle its own errors.
   */
  put(key: string, urgency: Urgency, write: () => Promise<R>): Promise<R | "later">;
  /** Removes a write that has not begun. */
  drop(key: string): void;
  /** Writes that wait, or are under way. */
  readonly entries: KeyedEntries;
  /** Resolves when no write waits. */
  flush(): Promise<void>;
  /** The same without refreshes that wait: the next process has newer values. */
  close(): Promise<void>;
}

interface Item<R> {
  urgency: Urgency;
  write: () => Promise<R>;
  ticket: Ticket | undefined;
  /** Present while the write is under way. */
  result: Promise<R> | undefined;
  /** Put while the write was under way. */
  next: { readonly urgency: Urgency; readonly write: () => Promise<R> } | undefined;
}

interface State<R> {
  readonly budget: WriteBudget;
  readonly items: Map<string, Item<R>>;
  /** Who wait until no write waits. */
  readonly onEmpty: (() => void)[];
  isClosing: boolean;
}

export function createCoalescingQueue<R>(budget: WriteBudget): CoalescingQueue<R> {
  const state: State<R> = { budget, items: new Map(), onEmpty: [], isClosing: false };
  const { items, onEmpty } = state;
  const flush = async (): Promise<void> => {
    if (items.size > 0) await new Promise<void>((resolve) => void onEmpty.push(resolve));
  };
  return {
    put: (key, urgency, write) => put(state, key, urgency, write),
    drop: (key) => drop(state, key),
    entries: items,
    flush,
    async close() {
      state.isClosing = true;
      for (const [key, { urgency, result }] of items)
        if (urgency === "refresh" && result === undefined) drop(state, key);
      await flush();
    },
  };
}

async function put<R>(
  state: State<R>,
  key: string,
  urgency: Urgency,
  write: () => Promise<R>,
): Promise<R | "later"> {
  const { budget, items } = state;
  const known = items.get(key);
  if (known?.result !== undefined) {
    const next = known.next;
    known.next = { urgency: next === undefined ? urgency : moreUrgent(next.urgency, urgency), write };
    return "later";
  }
  const item = known ?? { urgency, write, ticket: undefined, result: undefined, next: undefined };
  item.write = write;
  item.urgency = moreUrgent(item.urgency, urgency);
  if (item.ticket === undefined) {
    items.set(key, item);
    item.ticket = budget.queue(urgency, () => begin(state, key, item));
  } else item.ticket.raise(urgency);
  return item.result ?? "later";
}

async function begin<R>(state: State<R>, key: string, item: Item<R>): Promise<void> {
  try {
    item.result = started(item.write);
    await item.result;
  } finally {
    state.items.delete(key);
    const { next } = item;
    if (next !== undefined && !(state.isClosing && next.urgency === "refresh"))
      // Whoever put it has its result already: "later". The budget reports what it throws.
      put(state, key, next.urgency, next.write).catch(() => undefined);
    resolveIfEmpty(state);
  }
}

function drop<R>(state: State<R>, key: string): void {
  const item = state.items.get(key);
  if (item === undefined) return;
  item.next = undefined;
  if (item.result !== undefined) return;
  item.ticket?.cancel();
  state.items.delete(key);
  resolveIfEmpty(state);
}

function resolveIfEmpty<R>({ items, onEmpty }: State<R>): void {
  if (items.size === 0) for (const resolve of onEmpty.splice(0)) resolve();
}

/** Begins at once; what is thrown before the first await is a rejection too. */
async function started<R>(write: () => Promise<R>): Promise<R> {
  return await write();
}
