import type { ReplicaChange } from "./scores.ts";

/** A change against the one before within this time is a reversal. */
const reversalMs = 600_000;

/** The changes of a run, and how many of them were taken back. */
export interface Changes {
  readonly all: readonly ReplicaChange[];
  readonly reversals: number;
  add(change: ReplicaChange): void;
}

/** No changes. */
export function createChanges(): Changes {
  const all: ReplicaChange[] = [];
  let reversals = 0;
  return {
    all,
    get reversals() {
      return reversals;
    },
    add(change) {
      const last = all.at(-1);
      all.push(change);
      if (last === undefined || change.atMs - last.atMs > reversalMs) return;
      if (change.to > change.from !== last.to > last.from) reversals++;
    },
  };
}
