// Hands the events of a store to its listeners.
import type { StoreEvent } from "./event-history.ts";

export interface Publisher {
  /** @throws AggregateError with what listeners threw; every listener had the event. */
  publish(event: StoreEvent): void;
  subscribe(listener: (event: StoreEvent) => void): () => void;
}

/**
 * A listener may write to the store; its events queue up, so that every
 * listener sees the same order.
 */
export function createPublisher(): Publisher {
  const listeners = new Set<(event: StoreEvent) => void>();
  const pending: StoreEvent[] = [];
  let publishing = false;
  const deliver = (event: StoreEvent): readonly unknown[] => {
    const errors: unknown[] = [];
    for (const listener of Array.from(listeners)) {
      try {
        listener(event);
      } catch (error) {
        // One broken listener must not keep the event from the others.
        errors.push(error);
      }
    }
    return errors;
  };
  return {
    publish(event) {
      pending.push(event);
      if (publishing) return;
      publishing = true;
      const errors: unknown[] = [];
      for (let next = pending.shift(); next !== undefined; next = pending.shift())
        errors.push(...deliver(next));
      publishing = false;
      if (errors.length > 0) throw new AggregateError(errors, "a listener of the store failed");
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
