import { moreUrgent, type Ticket, type Urgency, type WriteBudget } from "./write-budget.ts";

/** Writes that wait for their turn, at most one for each key: a newer one takes the place of an older. */
export interface StatusOutbox<R> {
  /**
   * Resolves with the end of the write when it began at once, and with "later" when it has to wait. `write` must not
   * reject.
   */
  put(key: string, urgency: Urgency, write: () => Promise<R>): Promise<R | "later">;
  /** Takes out what has not begun. */
  drop(key: string): void;
  /** Resolves when nothing waits any more. */
  flush(): Promise<void>;
  /** The same, and refreshes that wait are left out: who comes next has newer numbers. */
  close(): Promise<void>;
}

interface Item<R> {
  urgency: Urgency;
  write: () => Promise<R>;
  ticket: Ticket | undefined;
  ended: Promise<R> | undefined;
  /** Handed in while the write was under way. */
  next: { readonly urgency: Urgency; readonly write: () => Promise<R> } | undefined;
}

export function createStatusOutbox<R>(budget: WriteBudget): StatusOutbox<R> {
  const items = new Map<string, Item<R>>();
  let onEmpty: (() => void)[] = [];
  let isClosing = false;

  return { put, drop, flush, close };

  async function put(key: string, urgency: Urgency, write: () => Promise<R>): Promise<R | "later"> {
    const known = items.get(key);
    if (known?.ended !== undefined) {
      const next = known.next;
      known.next = { urgency: next === undefined ? urgency : moreUrgent(next.urgency, urgency), write };
      return "later";
    }
    const item = known ?? { urgency, write, ticket: undefined, ended: undefined, next: undefined };
    item.write = write;
    item.urgency = moreUrgent(item.urgency, urgency);
    if (item.ticket === undefined) {
      items.set(key, item);
      item.ticket = budget.queue(urgency, () => begin(key, item));
    } else item.ticket.raise(urgency);
    return item.ended ?? "later";
  }

  async function begin(key: string, item: Item<R>): Promise<void> {
    item.ended = item.write();
    await item.ended;
    items.delete(key);
    const { next } = item;
    if (next !== undefined && !(isClosing && next.urgency === "refresh"))
      void put(key, next.urgency, next.write);
    tellEmpty();
  }

  function drop(key: string): void {
    const item = items.get(key);
    if (item === undefined) return;
    item.next = undefined;
    if (item.ended !== undefined) return;
    item.ticket?.cancel();
    items.delete(key);
    tellEmpty();
  }

  function tellEmpty(): void {
    if (items.size > 0) return;
    for (const resolve of onEmpty.splice(0)) resolve();
  }

  async function flush(): Promise<void> {
    if (items.size === 0) return;
    await new Promise<void>((resolve) => {
      onEmpty = [...onEmpty, resolve];
    });
  }

  async function close(): Promise<void> {
    isClosing = true;
    for (const [key, { urgency, ended }] of items)
      if (urgency === "refresh" && ended === undefined) drop(key);
    await flush();
  }
}
