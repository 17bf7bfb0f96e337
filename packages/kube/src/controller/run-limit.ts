// Limits how many reconciles run at once; slow ones no longer count.
import type { Clock } from "@plimsoll/component-base";
import { createNamespaceSlots } from "./namespace-slots.ts";

/** How many runs may make progress at once. */
export type RunLimit = ReturnType<typeof createRunLimit>;

/** Bounds of the runs at once. */
export interface RunLimitOptions {
  readonly concurrency: number;
  /** A run that takes longer waits for something slow, and no longer counts against the limit. Default 500 ms. */
  readonly slowAfterMs?: number;
  /** So many runs may be slow at once, and half of these in a single namespace. Default 100 per unit of concurrency. */
  readonly maxSlow?: number;
}

/** `onCapacity` is called when a slow run no longer counts against the limit. */
export function createRunLimit(clock: Clock, options: RunLimitOptions, onCapacity: () => void) {
  const { concurrency, slowAfterMs = 500, maxSlow = 100 * concurrency } = options;
  const slots = createNamespaceSlots(maxSlow);
  let active = 0;
  return {
    get hasCapacity() {
      return active < concurrency;
    },
    /** Runs under way that count no more, because they are slow. */
    get slow() {
      return slots.taken;
    },
    get running() {
      return active + slots.taken;
    },
    /** Whether the namespace's slow runs leave enough slots to the others. */
    mayServe: slots.isWithinShare,
    /** A run begins; returns what ends it. */
    begin(namespace: string): () => void {
      active++;
      let isSlow = false;
      const cancel = clock.after(slowAfterMs, () => {
        if (!slots.take(namespace)) return;
        isSlow = true;
        active--;
        onCapacity();
      });
      return () => {
        cancel();
        if (isSlow) slots.release(namespace);
        else active--;
      };
    },
  };
}
