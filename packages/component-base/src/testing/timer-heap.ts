// A heap of timers by time, for the manual clock.
import { createHeap } from "@plimsoll/core/internal/values";

/** What waits for its time. */
export interface Timer {
  readonly atMs: number;
  /** Decides between timers of one instant. */
  readonly order: number;
  readonly run: () => void;
  isCanceled: boolean;
}

/** Timers by their times, in a binary heap: tests with tens of thousands of them spend their time elsewhere. */
export interface TimerHeap {
  readonly size: number;
  add(timer: Timer): void;
  cancel(timer: Timer): void;
  /** Takes the first timer out when its time is not after that instant. */
  takeDue(untilMs: number): Timer | undefined;
}

const maxCanceled = 100;

export function createTimerHeap(): TimerHeap {
  let heap = createHeap(isEarlier);
  let canceled = 0;

  function cancel(timer: Timer): void {
    if (timer.isCanceled) return;
    timer.isCanceled = true;
    canceled += 1;
    if (canceled < maxCanceled || canceled < heap.size / 2) return;
    const kept = createHeap(isEarlier);
    for (let one = heap.take(); one !== undefined; one = heap.take()) if (!one.isCanceled) kept.add(one);
    heap = kept;
    canceled = 0;
  }

  function takeDue(untilMs: number): Timer | undefined {
    for (;;) {
      const { first } = heap;
      if (first === undefined || (first.atMs > untilMs && !first.isCanceled)) return undefined;
      heap.take();
      if (!first.isCanceled) {
        // It can't be canceled any more.
        first.isCanceled = true;
        return first;
      }
      canceled -= 1;
    }
  }

  return {
    get size() {
      return heap.size - canceled;
    },
    add: (timer) => heap.add(timer),
    cancel,
    takeDue,
  };
}

function isEarlier(one: Timer, other: Timer): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}
